/** Tasks of {@link WorkerPool}. */
import { extract } from '@winnow/extract';

export { renderPreview } from '../domain/inspection/find-main-content.ts';
export { judgeShell } from '../domain/shells/judge-shell.ts';
export { diffTexts } from './diff-texts.ts';
export { filterScriptsStyles } from './filter-scripts-styles.ts';
export {
  applySiteTemplate,
  extractPageTask,
  gatherSiteEvidence,
  markSitePage,
  outlineSitePage,
  pickPage,
  readPageLinks,
  trySiteTemplate,
} from './template-tasks.ts';

export function checkSelf(): string {
  const html = '<!doctype html><title>Ready</title><main><p>The extractor answers.</p></main>';
  const { title } = extract(html, { url: 'https://example.com/' });
  if (title !== 'Ready') throw new Error(`the extractor answered with the title ${title}`);
  return 'extracted a page';
}
