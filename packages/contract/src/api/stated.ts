/** The schema of `result.stated`: what a page states about itself in machine-readable markup. */
import { z } from 'zod';
import { boolean, described, nullableText, documented } from './described.ts';

export const statedRatingSchema = documented('StatedRating', 'Rating of a product, as the page states it.', {
  value: described(z.number(), 'Average rating.', 4.5),
  best: described(z.number().nullable(), 'Best possible rating; null where the page does not state it.', 5),
  count: described(z.number().nullable(), 'Number of ratings, or of reviews where only these are counted.', 128),
});

export const statedProductSchema = z
  .object({
    name: nullableText('Name of the product.', 'Oak table'),
    brand: nullableText('Brand, or the manufacturer where no brand is stated.', 'Harbour Furniture'),
    sku: nullableText("The shop's own number.", 'OT-120'),
    gtin: nullableText('Global Trade Item Number: EAN, UPC or ISBN.', '4006381333931'),
    mpn: nullableText("The manufacturer's number.", 'HF-7781'),
    price: nullableText('Price as a decimal number; the lowest of several offers.', '249.00'),
    high_price: nullableText('Highest price where offers differ; null otherwise.', '319.00'),
    currency: nullableText('Currency of the prices: the ISO 4217 code, or else as the page writes it.', 'EUR'),
    availability: nullableText(
      'Availability by its name at schema.org; InStock when one offer is in stock.',
      'InStock',
    ),
    rating: statedRatingSchema.nullable().describe('Average rating; null where none is stated.'),
  })
  .meta({
    id: 'StatedProduct',
    description:
      'The product that the page is about, from JSON-LD, microdata and metadata, in this order for each field.',
  });

const objects = (description: string, example: Record<string, unknown>) =>
  described(z.array(z.record(z.string(), z.unknown())), description, [example]);

const BOUNDS =
  'At most 100 objects, 12 levels deep, 10,000 values and 200,000 characters, 10,000 characters a text; see truncated.';

export const statedSchema = z
  .object({
    canonical: nullableText(
      'Canonical URL of the page: `link rel=canonical`, or og:url where it is missing.',
      'https://example.com/tables/oak',
    ),
    site_name: nullableText('Name of the site.', 'Harbour Furniture'),
    image: nullableText('URL of the image that the page gives for previews.', 'https://example.com/oak.jpg'),
    modified_time: nullableText('When the page was last changed, in the form of publish_time.', '2024-05-07T09:00:00Z'),
    keywords: described(z.array(z.string()), 'Keywords; at most 100.', ['oak', 'table']),
    section: nullableText('Section of the publication.', 'Tables'),
    is_accessible_for_free: z
      .boolean()
      .nullable()
      .meta({ description: 'Whether the publisher says that the page can be read for free.', examples: [true] }),
    product: statedProductSchema
      .nullable()
      .describe('The product that the page is about; null for a page without one, such as a list of products.'),
    json_ld: objects(`Objects of the page's JSON-LD, repaired where they are broken. ${BOUNDS}`, {
      '@type': 'Product',
      name: 'Oak table',
    }),
    microdata: objects(`Microdata items in the shape of JSON-LD. ${BOUNDS}`, {
      '@type': 'Product',
      name: 'Oak table',
    }),
    truncated: boolean('Whether json_ld or microdata were cut to their bounds.', false),
  })
  .meta({
    id: 'StatedData',
    description:
      'With extract.formats: what the page states about itself in metadata, JSON-LD and microdata. A value that the page does not state is null or empty. Pages can state untrue values.',
  });
