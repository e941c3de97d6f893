import { Link } from 'wouter';
import { screenshotTabs } from '../../components/data/screenshot-tabs.tsx';
import { CodeBlock } from '../../components/data/code-block.tsx';
import { Badge, Empty, Loading } from '../../components/feedback/feedback.tsx';
import { ResultView } from '../../components/data/result-view.tsx';
import { TabSet } from '../../components/controls/tab-set.tsx';
import { formatSize } from '../../lib/format.ts';
import { useProject } from '../../lib/project.tsx';
import { Failure } from './failure.tsx';
import type { Outcome } from './use-run.ts';

export function Answer({ outcome }: { readonly outcome: Outcome }) {
  if (outcome.kind === 'none') return <Empty title="No answer yet">Enter a URL and extract it.</Empty>;
  if (outcome.kind === 'running') return <Loading what={`(${outcome.what.toLowerCase()})`} />;
  if (outcome.kind === 'failed') return <Failure error={outcome.error} />;
  return outcome.kind === 'extracted' ? <ResultView answer={outcome.answer} /> : <Dumped outcome={outcome} />;
}

function Dumped({ outcome: { answer } }: { readonly outcome: Extract<Outcome, { kind: 'dumped' }> }) {
  const project = useProject();
  const facts = (
    <div className="stack">
      <div className="row">
        <Badge tone="good">captured</Badge>
        <Badge>{answer.engine}</Badge>
        <Badge>status {answer.status_code}</Badge>
        <Badge>{formatSize(answer.debug.html_bytes)}</Badge>
        {answer.debug.partial && <Badge tone="warn">not finished in time</Badge>}
      </div>
      <p>
        Kept as <Link href={`/p/${project.id}/snapshots/${answer.dom_id}`}>{answer.dom_id}</Link>; {answer.final_url}
      </p>
      <CodeBlock what="debug of the capture" text={JSON.stringify(answer.debug, null, 2)} />
    </div>
  );
  return (
    <TabSet
      label="Answer"
      tabs={[
        { value: 'capture', label: 'Capture', content: () => facts },
        ...screenshotTabs(project.id, answer.dom_id, answer.screenshot),
        { value: 'html', label: 'HTML', content: () => <CodeBlock wrap what="captured HTML" text={answer.html} /> },
        {
          value: 'json',
          label: 'JSON',
          content: () => <CodeBlock what="answer" text={JSON.stringify(answer, null, 2)} />,
        },
      ]}
    />
  );
}
