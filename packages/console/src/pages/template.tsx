import { PageHead } from '../components/page-head.tsx';
export function TemplatePage({ templateId }: { readonly templateId: string }) {
  return <PageHead title={templateId} />;
}
