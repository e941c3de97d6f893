import { markTags, TAG, TEXT } from '../tree/tags.ts';
import { collapse, getNodeText } from '../tree/text/node-text.ts';
import { getAttribute, type Tree } from '../tree/tree.ts';
import { END, LINK_WORDS, PRICES, STRIDE, TOKENS, type Blocks } from './blocks/blocks.ts';

/** Labels of the button or link with which readers subscribe, join or give. */
const ASKS: RegExp = new RegExp(
  `^(?:${[
    '(?:subscribe|sign (?:me )?up|join(?: us)?|register|donate|contribute|become a (?:paid )?(?:member|subscriber|supporter|patron)|support (?:us|our (?:work|journalism))|make a (?:donation|gift)|upgrade to paid|start (?:your |a )?(?:free )?(?:trial|subscription))(?: (?:now|today|here|for free|free|to (?:continue|read|our newsletter)))?',
    '(?:jetzt )?(?:(?:kostenlos |gratis )?(?:abonnieren|anmelden)|mitglied werden|spenden|unterstützen|abo (?:abschließen|sichern)|abonnent werden)|(?:zum )?newsletter (?:abonnieren|anmelden|bestellen)|(?:zum|zu den) (?:abo|angebote?n?|abos)',
    "(?:je )?(?:m|s)['’](?:abonner?|inscri(?:re|s))(?: maintenant| à partir.{0,20})?|abonnez-vous|inscrivez-vous|(?:je )?(?:faire|fais) un don|soutenez-nous|devenir membre",
    '(?:suscr[íi]bete|suscr[íi]base|suscribirme|suscribirse|quiero suscribirme|dona|donar|hazte soci[oa]|apóyanos)(?: (?:ahora|aquí|gratis|ya))?',
    '(?:abbonati|iscriviti|dona|sostienici)(?: (?:ora|subito|adesso))?|(?:assine|inscreva-se|doe|apoie|cadastre-se|quero assinar)(?: (?:já|agora|aqui))?',
    '(?:abonneer|doneer|schrijf (?:je|u) in|meld (?:je|u) aan|inschrijven|aanmelden|steun ons|word (?:lid|abonnee))(?: nu)?|bekijk (?:de |alle )?abonnementen',
    'prenumerera(?: nu)?|bli (?:medlem|prenumerant)|stöd oss|bliv medlem|støt os|zapisz się|subskrybuj|prenumeruj|wesprzyj nas|odebírat|přihlásit (?:se )?k odběru',
    'подпис(?:аться|ывайтесь|ка)|оформить подписку|поддержать(?: нас)?|購読する|登録する|会員登録|订阅|立即订阅|訂閱|구독하기',
  ].join('|')})[\\s.!>→»›]*$`,
  'iu',
);
/** First letters of labels, a quick test. */
const MAY_ASK = /^[\s\p{P}]{0,9}[a-zàáíşßабоп購登会订立訂구]/iu;
/** What a panel is about. */
const SUBJECT =
  /subscri|newsletter|\bmember|(?:your|reader|listener)[- ]support|support(?:ing)? (?:us|our|my|independent|the)\b|\bdonat|journalism|\binbox\b|mailing list|e-?mail|abonn|abo\b|unterstütz|spende|mitglied|journalismus|adhérent|soutien|soutenir|\bdons?\b|suscri|socios?\b|periodismo|donaci|apoy|boletín|iscri|sosten|donazion|giornalismo|assin|apoi|doaç|jornalismo|inschrij|lid\b|doneer|prenumer|medlem|nyhetsbrev|subskry|wspar|wesprz|odběr|подпис|поддерж|рассылк|購読|メルマガ|会員|订阅|会员|訂閱|구독/iu;

const CONTROLS = markTags('a', 'button', 'input');
/** Elements that are or hold the page's content. */
const CONTENT = markTags('html', 'body', 'main', 'article', 'h1', 'table', 'pre');
const MAX_LABEL = 40;
const MAX_LABEL_NODES = 8;
const MAX_CONTROLS = 30;
const MAX_LEVELS = 8;
/** In words. */
const MAX_PANEL = 120;
/** Longest text around a link that asks: prose mentions such links too. */
const MAX_LINE = 24;
/** Other text that a panel may add, in words: beside a link, and beside the button of a form. */
const MOST_OTHER = 12;
const MOST_IN_FORM = 30;
/** Longest text that is a price alone, in words. */
const MAX_PRICE = 4;
/** A page whose own text is shorter than this, or shorter than its panels, is about them. */
const LEAST_BESIDE = 60;

/** Marks the blocks of panels that ask readers of a text to subscribe, join or give; undefined if there is none. */
export function findAppealPanels(tree: Tree, blocks: Blocks): Uint8Array | undefined {
  const { before, rows, count } = blocks;
  const words = new Float64Array(count + 1);
  let prose = 0;
  for (let block = 0; block < count; block++) {
    const row = block * STRIDE;
    words[block + 1] = words[block] + rows[row + TOKENS];
    prose += rows[row + TOKENS] - rows[row + LINK_WORDS];
  }
  let marks: Uint8Array | undefined;
  let marked = 0;
  let left = MAX_CONTROLS;
  for (let node = 1; node < tree.size && left > 0; node++) {
    if (CONTROLS[tree.tag[node]] !== 1 || !asks(tree, node)) continue;
    left--;
    const line = (before[tree.end[node]] - 1) * STRIDE;
    if (line >= 0 && rows[line + END] > node && rows[line + TOKENS] > MAX_LINE) continue;
    const panel = climb(node);
    if (panel < 0 || hasPrice(panel)) continue;
    marks ??= new Uint8Array(count);
    marks.fill(1, before[panel], before[tree.end[panel]]);
    marked += words[before[tree.end[panel]]] - words[before[panel]];
    node = tree.end[panel] - 1;
  }
  return prose - marked >= Math.max(LEAST_BESIDE, marked) ? marks : undefined;

  /** What costs something may be what the page offers. */
  function hasPrice(panel: number): boolean {
    for (let block = before[panel]; block < before[tree.end[panel]]; block++)
      if (rows[block * STRIDE + PRICES] > 0 && rows[block * STRIDE + TOKENS] <= MAX_PRICE) return true;
    return false;
  }

  /** Returns the outermost element around a control that is about its subject, or -1. */
  function climb(control: number): number {
    let found = -1;
    let length = 0;
    const most = tree.tag[control] === TAG.a ? MOST_OTHER : MOST_IN_FORM;
    let node = tree.parent[control];
    for (let level = 0; level < MAX_LEVELS && node > 0; level++, node = tree.parent[node]) {
      const size = words[before[tree.end[node]]] - words[before[node]];
      if (size > MAX_PANEL || holdsContent(tree, node)) break;
      const text = getNodeText(tree, node);
      const added = size - length;
      if (found >= 0 && added > most && !isOfSubject(tree, node, found)) break;
      if (size > 0 && (SUBJECT.test(text) || asksForAddress(tree, node))) {
        found = node;
        length = size;
      }
    }
    return found;
  }
}

/** Whether a panel has a field for an e-mail address. */
function asksForAddress(tree: Tree, panel: number): boolean {
  for (let node = panel; node < tree.end[panel]; node++)
    if (tree.tag[node] === TAG.input && getAttribute(tree, node, 'type')?.toLowerCase() === 'email') return true;
  return false;
}

/** Whether the text that an element adds to an inner one is about the subject too. */
function isOfSubject(tree: Tree, node: number, inner: number): boolean {
  let added = '';
  for (let at = node + 1; at < tree.end[node]; at++) {
    if (at === inner) at = tree.end[inner] - 1;
    else if (tree.tag[at] === TEXT) added += ` ${tree.value[at]}`;
  }
  return SUBJECT.test(added);
}

function asks(tree: Tree, node: number): boolean {
  if (tree.tag[node] === TAG.input) {
    const label = getAttribute(tree, node, 'value') ?? '';
    return label !== '' && label.length <= MAX_LABEL && ASKS.test(collapse(label));
  }
  if (tree.end[node] - node > MAX_LABEL_NODES) return false;
  if (tree.tag[node + 1] === TEXT && !MAY_ASK.test(tree.value[node + 1])) return false;
  const label = getNodeText(tree, node);
  return label !== '' && label.length <= MAX_LABEL && ASKS.test(label);
}

function holdsContent({ tag, end }: Tree, node: number): boolean {
  for (let inner = node; inner < end[node]; inner++) if (CONTENT[tag[inner]] === 1) return true;
  return false;
}
