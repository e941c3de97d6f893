import { escapeAttribute, escapeText } from 'entities';
import { DOCUMENT_ATTRIBUTE, type DocumentFormat } from '../../../domain/capture/capture-ports.ts';

interface DocumentParts {
  readonly title: string;
  readonly author?: string | undefined;
  readonly description?: string | undefined;
  readonly keywords?: string | undefined;
  readonly language?: string | undefined;
  /** ISO 8601. */
  readonly created?: string | undefined;
  readonly modified?: string | undefined;
  /** HTML. */
  readonly body: string;
}

export function writeDocument(format: DocumentFormat, { title, language, body, ...parts }: DocumentParts): string {
  const meta = (name: string, content: string | undefined): string =>
    content === undefined ? '' : `<meta name="${name}" content="${escapeAttribute(content)}">\n`;
  const lang = language === undefined ? '' : ` lang="${escapeAttribute(language)}"`;
  return `<!doctype html>
<html ${DOCUMENT_ATTRIBUTE}="${format}"${lang}>
<head>
<meta charset="utf-8">
<title>${escapeText(title)}</title>
${meta('author', parts.author)}${meta('description', parts.description)}${meta('keywords', parts.keywords)}${meta('dcterms.issued', parts.created)}${meta('dcterms.modified', parts.modified)}</head>
<body>
${body}
</body>
</html>
`;
}
