import { PageHead } from '../components/page-head.tsx';
export function Templates() {
  return <PageHead title="Templates" />;
}
