import { getSignatureDistance } from './signature.ts';
import type { Template } from '../format/template.ts';
import { type AddressParts, matchesHost, scoreUrl } from './url-shape.ts';

export interface TemplateScore {
  /** 0 if the template does not match, else up to 1. */
  readonly score: number;
  readonly reason: string;
}

/**
 * Scores a template for a page by host, address and structure; 0 beyond its maximum distance.
 *
 * @param signature computes the page's signature; only called if host and address match
 */
export function scoreTemplate(
  template: Template,
  parts: AddressParts,
  signature: () => ArrayLike<number>,
): TemplateScore {
  if (!matchesHost(template.hosts, parts.host)) return { score: 0, reason: `it is not for the host ${parts.host}` };
  const address =
    template.url_shapes.length === 0 ? 0.5 : Math.max(...template.url_shapes.map((shape) => scoreUrl(shape, parts)));
  if (address === 0) return { score: 0, reason: 'the address has another shape' };
  if (template.signature === null) return { score: round(address), reason: 'host and address fit' };
  const distance = round(getSignatureDistance(template.signature.values, signature()));
  const limit = template.signature.max_distance;
  if (distance > limit) return { score: 0, reason: `the structure is too far: ${distance}, at most ${limit}` };
  return {
    score: round(address * (1 - distance)),
    reason: `host and address fit; the structure's distance is ${distance}`,
  };
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
