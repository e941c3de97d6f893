import { Badge } from '../../components/feedback/feedback.tsx';

interface OutcomeBadgeProps {
  /** HTTP status of the answer. */
  readonly status: number;
  readonly code: string | null;
}

export function OutcomeBadge({ status, code }: OutcomeBadgeProps) {
  return <Badge tone={code === null ? 'good' : 'bad'}>{code === null ? `${status} OK` : `${status} ${code}`}</Badge>;
}
