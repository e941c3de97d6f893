export interface StatedData {
  canonical: string | null;
  site_name: string | null;
  image: string | null;
  modified_time: string | null;
  keywords: string[];
  section: string | null;
  is_accessible_for_free: boolean | null;
  product: StatedProduct | null;
  json_ld: Record<string, unknown>[];
  microdata: Record<string, unknown>[];
  /** Whether structured data was cut at a limit. */
  truncated: boolean;
}

export interface StatedProduct {
  name: string | null;
  brand: string | null;
  sku: string | null;
  gtin: string | null;
  mpn: string | null;
  /** A decimal number as text; the lowest of a range. */
  price: string | null;
  high_price: string | null;
  /** ISO 4217 code, or the symbol on the page. */
  currency: string | null;
  /** Name of schema.org's ItemAvailability, such as `InStock`. */
  availability: string | null;
  rating: StatedRating | null;
}

export interface StatedRating {
  value: number;
  best: number | null;
  count: number | null;
}
