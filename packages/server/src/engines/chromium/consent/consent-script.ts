import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import type { AutoConsentCMPRule } from '@duckduckgo/autoconsent';
import {
  ACCEPT,
  CONSENT,
  LEAST_KINDS,
  LEAST_OTHER,
  LEAST_WORDS,
  MAX_LABEL,
  MAX_LEVELS,
  MAX_SPACING,
  MAX_TEXT,
  SHORT_TEXT,
} from '@winnow/extract/consent';

/** Label of the button that refuses what is not necessary. */
const REJECT = new RegExp(
  [
    String.raw`^(?:no,? (?:thanks?|thank you)|(?:i )?(?:reject|decline|refuse|deny|disagree)\b(?: (?:all|and|&|cookies|non|optional|additional|the|everything|continue|close).*)?|(?:accept |use |allow )?(?:only )?(?:strictly )?(?:necessary|essential|required)(?: cookies)?(?: only)?|continue without (?:accepting|agreeing|consent).*)$`,
    String.raw`^(?:alle[sn]? )?(?:cookies )?(?:ablehnen|verweigern)\b|^nur (?:(?:technisch|unbedingt) )?(?:notwendige|erforderliche|essen[tz]ielle|nötige)|^(?:tout )?(?:refuser|rejeter)\b|^(?:je refuse|continuer sans accepter)|^(?:rechazar|rechazo|sólo necesarias|solo necesarias|rejeitar|recusar|rifiuta|continua senza accettare|solo necessari|weigeren|afwijzen|alleen noodzakelijke|alles? weigeren|avvisa|neka|avvis|afvis|kun nødvendige|endast nödvändiga|hylkää|odrzuć|odmítnout|elutasít|respinge|απόρριψη|отклонить|відхилити|reddet)`,
    '^(?:すべて|全て)?(?:の ?クッキーを)?(?:拒否|同意しない)|^(?:全部)?(?:拒绝|拒絕)|^(?:모두 )?(?:거부|거절)|^(?:رفض)',
  ].join('|'),
  'iu',
);

const LIMITS = {
  label: MAX_LABEL,
  levels: MAX_LEVELS,
  text: MAX_TEXT,
  shortText: SHORT_TEXT,
  words: LEAST_WORDS,
  kinds: LEAST_KINDS,
  other: LEAST_OTHER,
  spacing: MAX_SPACING,
};

interface Rules {
  readonly library: string;
  /** JSON of the rules for every address, without brackets. */
  readonly general: string;
  readonly special: readonly { readonly pattern: RegExp; readonly json: string }[];
  /** Of the rules that also apply in frames. */
  readonly framed: string;
}

/** Longer addresses are compared by their beginning. */
const MAX_ADDRESS = 2000;

let loaded: Rules | undefined;

/** The file that CommonJS loads needs nothing besides itself, so it also works inside a function. */
function loadRules(): Rules {
  const require = createRequire(import.meta.url);
  const library = readFileSync(require.resolve('@duckduckgo/autoconsent'), 'utf8');
  const file = readFileSync(require.resolve('@duckduckgo/autoconsent/rules/rules.json'), 'utf8');
  const { autoconsent } = JSON.parse(file) as { readonly autoconsent: readonly AutoConsentCMPRule[] };
  const isSpecial = ({ runContext }: AutoConsentCMPRule): boolean => Boolean(runContext?.urlPattern);
  const join = (rules: readonly AutoConsentCMPRule[]): string => rules.map((rule) => JSON.stringify(rule)).join(',');
  return {
    library,
    general: join(autoconsent.filter((rule) => !isSpecial(rule))),
    special: autoconsent.filter(isSpecial).map((rule) => {
      return { pattern: new RegExp(rule.runContext?.urlPattern ?? ''), json: JSON.stringify(rule) };
    }),
    framed: join(autoconsent.filter(({ runContext }) => runContext?.frame === true)),
  };
}

function rulesFor({ general, special, framed }: Rules, url: string, isMain: boolean): string {
  if (!isMain) return framed;
  const address = url.slice(0, MAX_ADDRESS);
  const own = special.filter(({ pattern }) => pattern.test(address)).map(({ json }) => json);
  return [general, ...own].join(',');
}

/** Tests whether {@link consentScript} has run in a document's isolated world. */
export const HAS_CONSENT_SCRIPT = 'Boolean(globalThis.__winnowConsent)';

/**
 * Defines `__winnowConsent` in an isolated world: the rules of autoconsent for known dialogs, and a search by words for
 * the others. It makes no requests.
 */
export function consentScript(url: string, isMain: boolean): string {
  const rules = (loaded ??= loadRules());
  return `globalThis.__winnowConsent ??= (() => {
  const module = { exports: {} };
  ((module, exports) => {${rules.library}
})(module, module.exports);
  const AutoConsent = module.exports.default, RULES = { autoconsent: [${rulesFor(rules, url, isMain)}] };
  const CONSENT = ${CONSENT.toString()}, ACCEPT = ${ACCEPT.toString()}, REJECT = ${REJECT.toString()};
  const LIMITS = ${JSON.stringify(LIMITS)};
${PAGE_PART}
})(), undefined`;
}

const PAGE_PART = `
  const MAX_WALKED = 30000, MAX_CONTROLS = 20, MAX_FRAMES = 20, MAX_BACKDROPS = 5, MAX_BLURRED = 500, NEXT_MS = 400;
  const VISIBLE = { opacityProperty: true, visibilityProperty: true };
  const CONTROLS = new Set(['a', 'button', 'input']), CONTENT = 'main,article,h1', BLURRED = 'body,body>*,body>*>*,body>*>*>*', LOCKABLE = [document.documentElement, document.body];

  // Messages of the library for the service.
  const messages = [];
  let wake = () => {}, consent;
  const send = async ({ type, id, code, cmp, result, state }) => {
    if (type === 'report' ? state.lifecycle !== 'nothingDetected' : !/^(?:eval|cmpDetected|popupFound|opt(?:Out|In)Result)$/.test(type)) return;
    messages.push({ type, id, code, cmp, result });
    wake();
  };
  const start = (config) => { consent = new AutoConsent(send, config, RULES); };
  const next = async () => {
    if (messages.length === 0) await new Promise((resolve) => { wake = resolve; setTimeout(resolve, NEXT_MS); });
    return messages.splice(0);
  };
  const evaluated = (id, result) => { consent.receiveMessageCallback({ type: 'evalResp', id, result }); };

  const collapse = (text) => text.replace(/\\s+/g, ' ').trim();
  const isShown = (node) => {
    if (!node.checkVisibility(VISIBLE)) return false;
    const { width, height } = node.getBoundingClientRect();
    return width > 1 && height > 1;
  };
  const holdsContent = (node) => node.matches('html,body,' + CONTENT) || node.querySelector(CONTENT) !== null;

  // By the selectors of known dialogs.
  const findKnown = () => {
    const library = new AutoConsent(async () => {}, { enabled: false });
    library.parseDeclarativeRules(RULES);
    const found = [];
    for (const rule of library.rules) {
      if (!rule.prehideSelectors || !rule.checkRunContext()) continue;
      for (const selector of rule.prehideSelectors) {
        let nodes = [];
        try { nodes = document.querySelectorAll(selector); } catch {}
        for (const node of nodes)
          if (node.checkVisibility(VISIBLE) && !node.matches('html,body') && !node.querySelector('main,article')) found.push({ node, cmp: rule.name });
      }
    }
    return found.some(({ node }) => isShown(node) || [...node.querySelectorAll('*')].slice(0, 200).some(isShown)) ? found : [];
  };

  // By words, in the same way as the extractor.
  const labelOf = (node) => collapse(node.localName === 'input' ? node.value : node.textContent.length > 200 ? '' : node.textContent);
  const isControl = (node) => CONTROLS.has(node.localName) || node.getAttribute('role') === 'button'
    || (/^(?:span|div|label)$/.test(node.localName) && node.attributes.length > 0 && node.firstElementChild === null);
  const findControls = (scope, pattern, max) => {
    const found = [], roots = [scope];
    let walked = 0, frames = 0;
    for (let at = 0; at < roots.length; at += 1) {
      const walker = document.createTreeWalker(roots[at], NodeFilter.SHOW_ELEMENT);
      for (let node = walker.currentNode; node && walked < MAX_WALKED && found.length < max; node = walker.nextNode()) {
        if (node.nodeType !== Node.ELEMENT_NODE) continue;
        walked += 1;
        if (node.shadowRoot) roots.push(node.shadowRoot);
        if (node.localName === 'iframe' && node.contentDocument?.body && frames < MAX_FRAMES) { frames += 1; roots.push(node.contentDocument.body); }
        if (!isControl(node)) continue;
        const label = labelOf(node);
        if (label !== '' && label.length <= LIMITS.label && pattern.test(label) && isShown(node)) found.push(node);
      }
    }
    return found;
  };
  const textOf = (node) => collapse(node.shadowRoot ? [...node.shadowRoot.children].map((child) => child.innerText ?? '').join(' ') : node.innerText ?? '');
  const asks = (text, words) => {
    if (words.length === 0 || text.length / words.length > LIMITS.spacing) return false;
    if (text.length <= LIMITS.shortText) return true;
    return words.length >= LIMITS.words && new Set(words.map((word) => word.toLowerCase())).size >= LIMITS.kinds;
  };
  const above = (node) => node.parentElement ?? (node.parentNode instanceof ShadowRoot ? node.parentNode.host : null);
  const climb = (control) => {
    let found, before = { length: 0, words: 0 };
    for (let level = 0, node = above(control); level < LIMITS.levels && node; level += 1, node = above(node)) {
      const frame = node.localName === 'body' ? node.ownerDocument.defaultView?.frameElement : null;
      if (!frame && holdsContent(node)) break;
      const text = textOf(node);
      if (text.length > LIMITS.text) break;
      const words = text.match(CONSENT) ?? [], added = text.length - before.length;
      const isOther = added > LIMITS.other && added > LIMITS.spacing * (words.length - before.words);
      if (isOther && (found !== undefined || text.length > LIMITS.shortText)) break;
      if (asks(text, words)) {
        found = frame ?? node;
        before = { length: text.length, words: words.length };
      } else if (found !== undefined || text.length > LIMITS.shortText) break;
      if (frame) break;
    }
    return found;
  };
  const findByWords = () => {
    const found = [];
    for (const control of findControls(document.documentElement, ACCEPT, MAX_CONTROLS)) {
      const node = climb(control);
      if (node && !found.some((one) => one.node === node)) found.push({ node, control, cmp: null });
    }
    return found;
  };
  const find = () => [...findKnown(), ...findByWords()];

  const isAsking = () => find().length > 0;
  const findButton = (action) => {
    for (const { node, control } of findByWords()) {
      const [button] = action === 'accept' ? [control] : findControls(node, REJECT, 1);
      if (button) return button;
    }
    return undefined;
  };
  const hasButton = (action) => findButton(action) !== undefined;
  const click = (action) => {
    const button = findButton(action);
    if (button) button.click();
    return button !== undefined;
  };

  // Styles as they were before.
  const changed = new Map();
  const setStyle = (node, name, value) => {
    if (!changed.has(node)) changed.set(node, node.getAttribute('style'));
    node.style.setProperty(name, value, 'important');
  };
  const overlay = () => {
    let outermost;
    for (let node = document.elementFromPoint(innerWidth / 2, innerHeight / 2); node; node = above(node)) {
      if (getComputedStyle(node).position === 'fixed') outermost = node;
    }
    if (!outermost || holdsContent(outermost) || outermost.querySelector('img,picture,video,canvas,iframe,object,embed,form')) return undefined;
    const { width, height } = outermost.getBoundingClientRect();
    return width >= innerWidth * .8 && height >= innerHeight * .8 && textOf(outermost) === '' ? outermost : undefined;
  };
  // Also what dims, blurs or locks the page behind them.
  const hide = () => {
    const found = find(), nodes = new Set(found.map(({ node }) => node));
    for (const node of nodes) setStyle(node, 'display', 'none');
    if (nodes.size > 0) {
      for (const node of LOCKABLE) {
        if (!node) continue;
        const { overflowY, position } = getComputedStyle(node);
        if (overflowY === 'hidden' || overflowY === 'clip') setStyle(node, 'overflow', 'visible');
        if (position !== 'fixed') continue;
        setStyle(node, 'position', 'static');
        setStyle(node, 'width', 'auto');
      }
      for (let count = 0; count < MAX_BACKDROPS; count += 1) {
        const node = overlay();
        if (!node) break;
        nodes.add(node);
        setStyle(node, 'display', 'none');
      }
      for (const node of [...document.querySelectorAll(BLURRED)].slice(0, MAX_BLURRED))
        if (getComputedStyle(node).filter.includes('blur(')) setStyle(node, 'filter', 'none');
    }
    return { hidden: nodes.size, cmp: found.find(({ cmp }) => cmp !== null)?.cmp ?? null };
  };
  const restore = () => {
    for (const [node, style] of changed) style === null ? node.removeAttribute('style') : node.setAttribute('style', style);
    changed.clear();
  };
  return { start, next, evaluated, isAsking, hasButton, click, hide, restore };`;
