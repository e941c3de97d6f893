/** Pages for tests of single options, by path. */
import { WALL_PAGES } from './wall-pages.ts';

const DESCRIPTION = 'The table is made of oak from the forests by the harbour, and is oiled twice by hand. ';

const GUIDE = 'Visitors find the market on the old quay, where the fishermen sell their catch from six to noon. ';

export const CONTENT_PAGES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(WALL_PAGES.map(({ html }, index) => [`/wall/${index}`, html])),
  '/guide': `<!doctype html><html lang="en"><head><title>A guide to the harbour</title></head><body><article>
<h1>A guide to the harbour</h1>
<p>${GUIDE.repeat(5)} More about <a href="/boats">the boats</a>.</p>
<img src="/quay.jpg" alt="The quay" width="800" height="600">
<h2>Arrival</h2><p>${GUIDE.repeat(4)}</p><h3>By boat</h3><p>${GUIDE.repeat(9)}</p>
<h2>Market</h2><p>${GUIDE.repeat(4)}</p>
</article></body></html>`,
  '/many-elements': `<!doctype html><title>Many</title><article><h1>Many</h1><p>${GUIDE.repeat(5)}</p>${'<i>x</i>'.repeat(100_000)}</article>`,
  '/shell-without-text': '<!doctype html><title>Board</title><div id="root"></div><script src="/app.js"></script>',
  '/product': `<!doctype html>
<html lang="en">
<head>
<title>Oak table</title>
<link rel="canonical" href="/product">
<meta property="og:site_name" content="Harbour Furniture">
<meta property="og:image" content="/oak.jpg">
<meta property="article:modified_time" content="2024-05-07T09:00:00Z">
<meta property="article:section" content="Tables">
<meta name="keywords" content="oak, table">
<script type="application/ld+json">
{ "@context": "https://schema.org", "@type": "Product", "name": "Oak table", "sku": "OT-120", "gtin13": "4006381333931",
  "mpn": "HF-7781", "isAccessibleForFree": true,
  "brand": { "@type": "Brand", "name": "Harbour Furniture" },
  "aggregateRating": { "@type": "AggregateRating", "ratingValue": 4.5, "bestRating": 5, "ratingCount": 128 },
  "offers": { "@type": "Offer", "price": "249.00", "priceCurrency": "EUR", "availability": "https://schema.org/InStock" }, }
</script>
</head>
<body>
<nav><a href="/">Home</a></nav>
<main itemscope itemtype="https://schema.org/Product">
<h1 itemprop="name">Oak table</h1>
<p itemprop="description">${DESCRIPTION.repeat(4)}</p>
<p>${DESCRIPTION.repeat(4)}</p>
</main>
</body>
</html>`,
};
