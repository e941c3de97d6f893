import { checkTemplate } from '@winnow/contract';
import type { Actor } from '../accounts/audit.ts';
import { findFault, storeCandidate } from './manage-templates.ts';
import type { ManageTemplatesDeps } from './manage-templates.ts';
import { readFtrConfig } from './read-ftr-config.ts';
import type { FtrRemark } from './read-ftr-config.ts';
import { nameVersion } from './template-name.ts';

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
  const same = (
    await deps.templates.findByHosts([document.hosts[0] ?? ''], ['candidate', 'active', 'suspect', 'retired'])
  ).find(
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
