/** The schema of `extract.fields`: values that a caller requests by selector. */
import { z } from 'zod';
import { defaulted, described, toggle } from './described.ts';

/** The limits of a site template. */
const MAX_FIELDS = 50;
const MAX_SELECTOR_LENGTH = 1000;

const FIELD_TYPES = ['text', 'number', 'date', 'url'] as const;

const JSON_LD_PATH = /^(?:[A-Za-z]+|\*):[A-Za-z@][\w.@]*$/;

const fieldRequestSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z][\w-]{0,63}$/, 'must be a letter and at most 63 letters, digits, hyphens or underscores')
    .meta({ description: 'Name of the field in result.fields.', examples: ['price'] }),
  selector: z
    .string()
    .min(1, 'must not be empty')
    .max(MAX_SELECTOR_LENGTH)
    .refine((text) => text.isWellFormed(), 'must not contain half a character')
    .refine(
      (text) => !text.startsWith('json_ld=') || JSON_LD_PATH.test(text.slice('json_ld='.length)),
      'must be a type and a path: json_ld=Product:offers.price',
    )
    .meta({
      description:
        'Selector of the value. XPath 1.0 starts with `/`, `./`, `../` or `(`; a path in JSON-LD is a type and names, such as `Product:offers.price`; anything else is CSS. The prefixes `css=`, `xpath=` and `json_ld=` state the kind explicitly.',
      examples: ['.price', '//h1', 'Product:offers.price'],
    }),
  attribute: described(
    z.string().regex(/^[^\s"'<>/=]{1,100}$/, 'must be the name of an attribute'),
    "Take this attribute's value instead of the element's text.",
    'content',
  ).optional(),
  type: defaulted(
    z.enum(FIELD_TYPES),
    'Type of the value: a text, a number, a date as in publish_time, or an absolute URL. A value of another type is left out.',
    { default: 'text', example: 'number' },
  ).optional(),
  all: toggle('Take every value, at most 1,000, as an array.', false),
});

/** The field `fields` of a request, for one page or a batch. */
export const fieldsField = described(
  z
    .array(fieldRequestSchema)
    .max(MAX_FIELDS)
    .refine((fields) => new Set(fields.map(({ name }) => name)).size === fields.length, 'must have different names'),
  'Values to read by selectors into result.fields; they replace fields of a site template that have the same name. All selectors share the budget of one template: a field beyond it is null, with an entry in metadata.warnings.',
  [{ name: 'price', selector: '.price', type: 'number' }],
).optional();
