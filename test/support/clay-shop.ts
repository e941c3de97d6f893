/** An invented shop: the extractor leaves out the facts of its products, and keeps what customers wrote. */

export const PRODUCTS = ['kettle', 'teapot', 'pitcher', 'saucer', 'tray', 'bowl', 'mug'] as const;

/** @param path contains the number of the product: `/p/blue-3` */
export function makeProductPage(path: string): string {
  const index = Number(/(\d+)/.exec(path)?.[1] ?? 0);
  const name = PRODUCTS[index % PRODUCTS.length] ?? PRODUCTS[0];
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Blue ${name} | Clay shop</title></head><body>
    <nav class="menu"><a href="/">Home</a> <a href="/sale">Sale</a></nav>
    <div class="product"><img class="photo" src="/img/${name}.jpg" width="600" height="600" alt="Blue ${name}">
    <h1 class="name">Blue ${name}</h1><span class="price">${19 + index}.00 €</span>
    <svg width="30" height="30"><g><path d="M0 0h20v20z"/></g></svg>
    <div class="description"><p>This ${name} is made by hand of the clay of the valley, glazed twice and burnt for ${index + 9} hours.</p>
    <p>Wash the ${name} with warm water, and never leave it in the rain for more than ${index + 2} days.</p></div></div>
    <div class="quotes"><p>Anna of house ${index} wrote to us that her ${name} still looks as it did on the first day of the year.</p></div>
    <aside><ul class="facts"><li>Height ${index + 4} cm</li><li>Weight ${index + 300} g</li></ul></aside>
    <footer class="foot"><p>Clay shop, all rights reserved</p></footer></body></html>`;
}
