import type { TemplateState } from '@winnow/client';
import { Badge } from '../../components/feedback/feedback.tsx';

const TONES = { active: 'good', candidate: 'accent', retired: undefined } as const;

export function TemplateBadge({ state }: { readonly state: TemplateState }) {
  return <Badge tone={TONES[state]}>{state}</Badge>;
}
