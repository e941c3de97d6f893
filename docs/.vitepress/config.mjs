import { resolveInSite } from '../site/repository-pages.mjs';

/** The documentation site. A test checks that the side bar names every page. */
export default {
  title: 'Winnow',
  description: 'Self-hosted web page extraction: URL in, clean structured content out',
  cleanUrls: true,
  srcExclude: ['site/**'],
  // Of the running service.
  ignoreDeadLinks: [/^https?:\/\/127\.0\.0\.1/],
  markdown: {
    config: linkRepositoryPages,
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Quick start', link: '/quick-start' },
      { text: 'API', link: '/api' },
      { text: 'Comparison', link: '/comparison' },
    ],
    sidebar: [
      {
        text: 'Use',
        items: [
          { text: 'Quick start', link: '/quick-start' },
          { text: 'Feed a language model', link: '/language-models' },
          { text: 'Extract many pages', link: '/many-pages' },
          { text: 'Crawl a site', link: '/crawl' },
          { text: 'The command line', link: '/command-line' },
          { text: 'Pages that need scripts', link: '/rendered-pages' },
          { text: 'When an answer is wrong', link: '/wrong-answers' },
          { text: 'Parts of the answer', link: '/content-options' },
          { text: 'Request options', link: '/request-options' },
          { text: 'Snapshots', link: '/snapshots' },
          { text: 'Assistants over MCP', link: '/mcp' },
          { text: 'The TypeScript client', link: '/typescript-client' },
          { text: 'The Python client', link: '/python-client' },
          { text: 'The library', link: '/library' },
          { text: 'LangChain, LlamaIndex, Scrapy, n8n', link: '/integrations' },
          { text: 'Clients of other services', link: '/compatibility' },
          { text: 'Hidden text', link: '/hidden-text' },
          { text: 'Site templates', link: '/templates' },
          { text: 'Engines', link: '/engines' },
          { text: 'Documents: PDF, text, Markdown', link: '/documents' },
          { text: 'Screenshots and MHTML', link: '/screenshots' },
        ],
      },
      {
        text: 'Operate',
        items: [
          { text: 'Configuration', link: '/configuration' },
          { text: 'Operations', link: '/operations' },
          { text: 'The console', link: '/console/README' },
          { text: 'Past one machine', link: '/scaling' },
          { text: 'Threat model', link: '/threat-model' },
          { text: 'Torture report', link: '/torture-report' },
        ],
      },
      {
        text: 'Reference',
        items: [
          { text: 'API', link: '/api' },
          { text: 'Errors', link: '/errors' },
          { text: 'Glossary', link: '/glossary' },
          { text: 'Interface map', link: '/interface-map' },
          { text: 'Tests of threats and rules', link: '/tested-rules' },
        ],
      },
      {
        text: 'Project',
        items: [
          { text: 'Changelog', link: '/changelog' },
          { text: 'Comparison', link: '/comparison' },
          { text: 'Contributing', link: '/contributing' },
          { text: 'Architecture', link: '/architecture' },
          { text: 'Security', link: '/security' },
          { text: 'Decisions', link: '/decisions/README' },
          { text: 'Releasing', link: '/releasing' },
        ],
      },
    ],
  },
};

/** Leads links to files of the repository to their pages in the site; a file that has none is a dead link. */
function linkRepositoryPages(markdown) {
  markdown.core.ruler.push('repository-pages', ({ tokens, env }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const link = token.type === 'link_open' ? token.attrGet('href') : null;
      if (link?.startsWith('../')) token.attrSet('href', resolveInSite(link, `docs/${env.relativePath}`) ?? link);
    }
  });
}
