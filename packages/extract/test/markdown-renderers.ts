import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as commonmark from 'commonmark';
import MarkdownIt from 'markdown-it';
import { marked } from 'marked';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import showdown from 'showdown';
import snarkdown from 'snarkdown';

/** Renders Markdown with raw HTML and dangerous addresses unchanged. */
export interface MarkdownRenderer {
  readonly name: string;
  /** Whether code may be in fences anywhere, and in spans of several backticks. */
  readonly knowsCode: boolean;
  readonly render: (markdown: string) => string;
}

const LOOSE = { allowDangerousHtml: true, allowDangerousProtocol: true };
const MARKDOWN_IT = new MarkdownIt({ html: true });
MARKDOWN_IT.validateLink = () => true;
const SHOWDOWN = new showdown.Converter({ tables: true, strikethrough: true, tasklists: true });

export const RENDERERS: readonly MarkdownRenderer[] = [
  { name: 'micromark', knowsCode: true, render: (text) => micromark(text, LOOSE) },
  {
    name: 'micromark with GFM',
    knowsCode: true,
    render: (text) => micromark(text, { ...LOOSE, extensions: [gfm()], htmlExtensions: [gfmHtml()] }),
  },
  {
    name: 'commonmark',
    knowsCode: true,
    render: (text) => new commonmark.HtmlRenderer().render(new commonmark.Parser().parse(text)),
  },
  { name: 'markdown-it', knowsCode: true, render: (text) => MARKDOWN_IT.render(text) },
  { name: 'marked', knowsCode: true, render: (text) => marked.parse(text, { async: false }) },
  { name: 'showdown', knowsCode: false, render: (text) => SHOWDOWN.makeHtml(text) },
  { name: 'snarkdown', knowsCode: false, render: (text) => snarkdown(text) },
];

const PYTHON = '/usr/bin/python3';
const PYTHON_MODULES = '/usr/lib/python3/dist-packages';
/** Reads and writes JSON: a list of texts, a page for each renderer and text. */
const PYTHON_SCRIPT = `
import json, sys, markdown, markdown2, mistune
loose = mistune.create_markdown(escape=False, plugins=['table', 'strikethrough', 'footnotes'])
renderers = {
    'Python-Markdown': lambda text: markdown.markdown(text, extensions=['tables', 'footnotes']),
    'Python-Markdown with fences': lambda text: markdown.markdown(text, extensions=['extra']),
    'markdown2': lambda text: markdown2.markdown(text, extras=['fenced-code-blocks', 'tables']),
    'mistune': loose,
}
texts = json.load(sys.stdin)
json.dump({name: [render(text) for text in texts] for name, render in renderers.items()}, sys.stdout)
`;

/** Python-Markdown, markdown2 and mistune; none if a module is missing. */
export function hasPythonRenderers(): boolean {
  return ['markdown', 'markdown2.py', 'mistune'].every((name) => existsSync(`${PYTHON_MODULES}/${name}`));
}

/** Renders all texts in one process; returns the pages by the renderer's name. */
export function renderWithPython(texts: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const { stdout, stderr, status } = spawnSync(PYTHON, ['-c', PYTHON_SCRIPT], {
    input: JSON.stringify(texts),
    env: { PYTHONIOENCODING: 'utf-8' },
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) throw new Error(stderr.toString());
  return JSON.parse(stdout.toString());
}
