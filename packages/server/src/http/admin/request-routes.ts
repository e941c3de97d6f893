import { publicEngineName, toEnginePreference } from '@winnow/contract';
import type { EngineName, LoggedRequestBody, LoggedRequestQuery } from '@winnow/contract';
import { AppError } from '../../domain/shared/errors.ts';
import type { LoggedRequest, RequestLogFilter } from '../../domain/request-log/ports.ts';
import type { RequestDetail } from '../requests/request-log.ts';
import { toStoredHost } from '../../domain/storage/snapshot-ports.ts';
import { presentFields } from '../answers/present.ts';
import { defineHandlers, readFilterTime } from './admin-operations.ts';

export const requestHandlers = defineHandlers((deps) => {
  const { requestLog, requests, settings } = deps;
  return {
    listRequests: async ({ request, query, findProject }) => {
      const project = await findProject();
      const page = await requests.list(project.id, toFilter(query, settings.engineFamily), query);
      return {
        request_id: request.id,
        items: page.items.map((item) => present(item, settings.engineFamily)),
        next_cursor: page.nextCursor,
        recording: { mode: requestLog.mode, max_age_ms: requestLog.maxAgeMs, max_rows: requestLog.maxRows },
      };
    },
    readRequest: async ({ request, params, findProject }) => {
      const project = await findProject();
      const found = await requests.find(project.id, params.id);
      if (!found) throw new AppError('not_found', 'no such request on record');
      const detail = JSON.parse(found.detail) as RequestDetail;
      return { request_id: request.id, request: { ...present(found, settings.engineFamily), ...detail } };
    },
  };
});

function toFilter(query: LoggedRequestQuery, engineFamily: string): RequestLogFilter {
  const { outcome, code, warning, endpoint, source, engine } = query;
  return {
    // No request has an engine of an unknown name.
    engine: engine && (toEnginePreference(engine, engineFamily) ?? engine),
    maxConfidence: query.max_confidence,
    domId: query.dom_id?.trim(),
    outcome,
    code,
    warning,
    endpoint,
    source,
    keyId: query.key_id,
    host: query.host && toStoredHost(query.host),
    requestId: query.request_id?.trim(),
    from: readFilterTime(query.from),
    to: readFilterTime(query.to),
  };
}

function present(request: LoggedRequest, engineFamily: string): LoggedRequestBody {
  const { code, engine } = request;
  return {
    ...presentFields(request, ['id', 'requestId', 'at', 'source', 'keyId', 'method', 'endpoint', 'status', 'stage']),
    ...presentFields(request, ['url', 'domId', 'templateId', 'confidence', 'elapsedMs']),
    code: code === 'ok' ? null : code,
    engine: engine === null ? null : publicEngineName(engine as EngineName, engineFamily),
    warnings: [...request.warnings],
  };
}
