import { TEMPLATE_LIMITS, type TemplateDocument, type TemplateSelectorDocument, checkTemplate } from '@winnow/contract';
import type { Actor } from '../accounts/audit.ts';
import { findFault, storeCandidate, type ManageTemplatesDeps } from './manage-templates.ts';
import { nameVersion } from './template-ports.ts';

export interface FtrRemark {
  /** From 1; 0: the whole file. */
  readonly line: number;
  readonly reason: string;
}

export interface FtrReading {
  /** Undefined: see `faults`. */
  readonly document: TemplateDocument | undefined;
  readonly faults: readonly FtrRemark[];
  /** Not needed by templates. */
  readonly ignored: readonly FtrRemark[];
  readonly lines: ReadonlyMap<string, number>;
}

/** Directives that do not describe content. */
const NOT_FOR_TEMPLATES = new Set(
  'prune tidy parser autodetect_on_failure single_page_link single_page_link_in_feed next_page_link http_header native_ad_clue insert_detected_image skip_json_ld skip_id_or_class_filter autodetect_next_page footnotes convert_double_br_tags requires_login not_logged_in_xpath login_uri login_username_field login_password_field login_extra_fields src_lazy_load_attr wrap_in dissolve if_page_contains strip_comments strip_image_src strip_attr move_into unwrap post_strip_attr use_prune replace_tag body_multi_page'.split(
    ' ',
  ),
);

const MAX_LENGTH = 200_000;

/**
 * Converts a public-domain ftr-site-config file: XPath rules for title, author, date, body and stripping; `test_url`
 * and `test_contains` become checks.
 * @param fileName host with `.txt`; a leading dot means all subdomains
 */
export function readFtrConfig(fileName: string, text: string): FtrReading {
  const reader = new FtrReader(fileName);
  if (text.length > MAX_LENGTH) return reader.refuse(0, `the file has more than ${MAX_LENGTH} characters`);
  for (const [index, line] of text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .entries())
    reader.readLine(line.trim(), index + 1);
  return reader.finish();
}

type FieldName = keyof TemplateDocument['fields'];

const FIELDS: Readonly<Record<string, FieldName>> = { title: 'title', author: 'author', date: 'publish_time' };

class FtrReader {
  readonly #fileName: string;
  readonly #faults: FtrRemark[] = [];
  readonly #ignored: FtrRemark[] = [];
  readonly #lines = new Map<string, number>();
  readonly #fields = new Map<FieldName, TemplateSelectorDocument[]>();
  readonly #include: TemplateSelectorDocument[] = [];
  readonly #exclude: TemplateSelectorDocument[] = [];
  readonly #replace: { find: string; replace: string }[] = [];
  readonly #checks: { url: string; contains: string[] }[] = [];
  /** Paired by order. */
  readonly #find: { text: string; line: number }[] = [];
  readonly #replaceWith: { text: string; line: number }[] = [];

  constructor(fileName: string) {
    this.#fileName = fileName;
  }

  readLine(line: string, number: number): void {
    if (line === '' || line.startsWith('#') || line.startsWith('//')) return;
    const match = /^([a-z_]+)(\(.*?\))?\s*:(.*)$/i.exec(line);
    if (match === null) {
      this.#ignored.push({ line: number, reason: `not a directive: ${line.slice(0, 80)}` });
      return;
    }
    const [, name = '', argument, value = ''] = match;
    this.#readDirective(name.toLowerCase(), argument?.slice(1, -1), value.trim(), number);
  }

  refuse(line: number, reason: string): FtrReading {
    return { document: undefined, faults: [{ line, reason }], ignored: [], lines: new Map() };
  }

  finish(): FtrReading {
    this.#pairReplacements();
    const used = this.#fields.size + this.#include.length;
    const hosts = readHosts(this.#fileName);
    if (hosts === undefined) this.#faults.push({ line: 0, reason: 'the file is not named after a host' });
    if (used === 0 && this.#faults.length === 0)
      this.#faults.push({ line: 0, reason: 'it has no rule for a template' });
    if (this.#exclude.length > 0 && this.#include.length === 0) {
      this.#ignored.push({ line: 0, reason: 'strip without body: the generic extractor chooses the main text' });
    }
    const document = this.#faults.length > 0 || hosts === undefined ? undefined : this.#build(hosts);
    return { document, faults: this.#faults, ignored: this.#ignored, lines: this.#lines };
  }

  #readDirective(name: string, argument: string | undefined, value: string, line: number): void {
    const field = FIELDS[name];
    if (value === '' && name !== 'replace_string') this.#faults.push({ line, reason: `${name} has no value` });
    else if (field !== undefined) this.#addField(field, value, line);
    else if (name === 'body') this.#add(this.#include, 'content.include', { xpath: value }, line);
    else if (name === 'strip') this.#add(this.#exclude, 'content.exclude', { xpath: value }, line);
    else if (name === 'strip_id_or_class') this.#addNamed(value, line);
    else if (name === 'find_string') this.#find.push({ text: value, line });
    else if (name === 'replace_string') this.#readReplacement(argument, value, line);
    else if (name === 'test_url') this.#checks.push({ url: value, contains: [] });
    else if (name === 'test_contains') this.#addCheck(value, line);
    else {
      const reason = NOT_FOR_TEMPLATES.has(name) ? `${name} is not supported in templates` : `${name} is not known`;
      this.#ignored.push({ line, reason });
    }
  }

  #addField(field: FieldName, xpath: string, line: number): void {
    const selectors = this.#fields.get(field) ?? [];
    this.#fields.set(field, selectors);
    // Other fields use the first value.
    const all = field === 'author' ? { all: true } : {};
    this.#add(selectors, `fields.${field}.selectors`, { xpath, ...all }, line);
  }

  #add(list: TemplateSelectorDocument[], path: string, selector: TemplateSelectorDocument, line: number): void {
    const { maxSelectors, maxSelectorLength } = TEMPLATE_LIMITS;
    if (list.length >= maxSelectors) this.#faults.push({ line, reason: `more than ${maxSelectors} rules of one kind` });
    else if ((selector.xpath ?? '').length > maxSelectorLength)
      this.#faults.push({ line, reason: `longer than ${maxSelectorLength} characters` });
    else {
      this.#lines.set(`${path}[${list.length}]`, line);
      list.push(selector);
    }
  }

  /** Matches any id or class that contains the text. */
  #addNamed(value: string, line: number): void {
    const name = value.replace(/^(["'])(.*)\1$/, '$2').trim();
    if (name === '' || /["\\]/.test(name))
      this.#faults.push({ line, reason: `strip_id_or_class needs a name: ${value.slice(0, 80)}` });
    else this.#add(this.#exclude, 'content.exclude', { css: `[class*="${name}"], [id*="${name}"]` }, line);
  }

  #readReplacement(find: string | undefined, text: string, line: number): void {
    if (find === undefined) this.#replaceWith.push({ text, line });
    else this.#addReplacement(find, text, line);
  }

  #addReplacement(find: string, replace: string, line: number): void {
    if (find === '') this.#faults.push({ line, reason: 'replace_string has no text to replace' });
    else this.#replace.push({ find, replace });
  }

  #pairReplacements(): void {
    for (const [index, { text, line }] of this.#find.entries()) {
      const replacement = this.#replaceWith[index];
      if (replacement === undefined) this.#faults.push({ line, reason: 'find_string without a replace_string' });
      else this.#addReplacement(text, replacement.text, line);
    }
    for (const { line } of this.#replaceWith.slice(this.#find.length))
      this.#faults.push({ line, reason: 'replace_string without a find_string' });
  }

  #addCheck(value: string, line: number): void {
    const check = this.#checks.at(-1);
    if (check === undefined) this.#ignored.push({ line, reason: 'test_contains without a test_url before it' });
    else check.contains.push(value);
  }

  #build(hosts: string[]): TemplateDocument {
    const fields = Object.fromEntries([...this.#fields].map(([name, selectors]) => [name, { selectors }]));
    return {
      format: 1,
      hosts,
      url_shapes: [],
      signature: null,
      ...(this.#replace.length === 0 ? {} : { replace: this.#replace }),
      fields,
      content: this.#include.length === 0 ? null : { include: this.#include, exclude: this.#exclude, exclude_text: [] },
      custom: [],
      invariants: { required: ['main_text'], main_text_words: null },
      ...(this.#checks.length === 0 ? {} : { checks: this.#checks }),
      provenance: { source: 'ftr', note: this.#fileName },
    };
  }
}

/** `example.com.txt` covers www.example.com too, `.example.com.txt` all subdomains. */
function readHosts(fileName: string): string[] | undefined {
  const name = fileName.replace(/\.txt$/i, '').toLowerCase();
  if (!fileName.toLowerCase().endsWith('.txt') || !/^\.?[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(name)) return undefined;
  return name.startsWith('.') ? [name] : [name, name.startsWith('www.') ? name.slice(4) : `www.${name}`];
}

export interface FtrImport {
  readonly file: string;
  /** Undefined if the file was rejected. */
  readonly template: string | undefined;
  readonly faults: readonly FtrRemark[];
  readonly ignored: readonly FtrRemark[];
}

/** Imports a file unless it is unchanged. */
export async function importFtrFile(
  deps: ManageTemplatesDeps,
  actor: Actor,
  file: string,
  text: string,
): Promise<FtrImport> {
  const { document, faults, ignored, lines } = readFtrConfig(file, text);
  if (document === undefined) return { file, template: undefined, faults, ignored };
  const checked = checkTemplate(document);
  if (!checked.ok) return { file, template: undefined, faults: [{ line: 0, reason: checked.message }], ignored };
  const fault = await findFault(document);
  if (fault !== undefined) {
    const line = lines.get(fault.path.replace(/\.(?:xpath|css)$/, '')) ?? 0;
    return { file, template: undefined, faults: [{ line, reason: fault.message }], ignored };
  }
  const same = (await deps.templates.findByHosts([document.hosts[0] ?? ''], ['candidate', 'active', 'retired'])).find(
    (one) =>
      one.projectId === null && one.document.provenance.source === 'ftr' && one.document.provenance.note === file,
  );
  if (same !== undefined && JSON.stringify(same.document) === JSON.stringify(document)) {
    return { file, template: nameVersion(same), faults: [], ignored };
  }
  const stored = await storeCandidate(
    deps,
    actor,
    same === undefined ? document : { ...document, id: same.id },
    `imported from ${file}`,
  );
  return { file, template: nameVersion(stored), faults: [], ignored };
}
