/** Small invented pages whose block probabilities Python stored in `golden.json`. */
export const GOLDEN_PAGES: readonly { url: string; html: string }[] = [
  {
    url: 'https://example.org/blog/2025/03/slow-bread',
    html: `<!doctype html><title>Slow bread for busy weeks - The Flour Diary</title>
<body class="single post"><header class="site-header"><nav class="main-nav"><ul><li><a href="/">Home</a><li><a href="/recipes">Recipes</a><li><a href="/about">About</a></ul></nav></header>
<main id="content"><article class="post entry"><h1>Slow bread for busy weeks</h1><p class="meta">By Ada Miller, 3 March 2025</p>
<div class="entry-content"><p>A dough that rises in the cold needs no attention at all. Mix it in the evening, forget it for two days, and bake it whenever an hour is free.</p>
<h2>What you need</h2><ul><li>500 g of strong flour</li><li>350 g of water</li><li>10 g of salt and a little yeast</li></ul>
<p>The long rest does the work of kneading: the flour drinks, the gluten arranges itself, and the flavour deepens. Keep the bowl covered, and do not worry when it looks sticky.</p>
<blockquote>Time is the cheapest ingredient.</blockquote><p>Bake it hot, in a closed pot, for thirty minutes; then without the lid until it is as dark as you dare.</p></div></article></main>
<aside class="sidebar"><h3>Popular posts</h3><ul><li><a href="/rye">Rye for beginners</a><li><a href="/oven">Which oven?</a></ul></aside>
<section class="comments" id="comments"><h3>2 comments</h3><div class="comment">Mine came out flat, what did I do wrong?</div><div class="comment">Works every time, thank you!</div></section>
<div class="cookie-consent" role="dialog" aria-hidden="true"><p>We use cookies to make this page work. Read our privacy policy.</p><button>Accept</button></div>
<footer class="site-footer"><p>© 2025 The Flour Diary. All rights reserved.</p></footer>`,
  },
  {
    url: 'https://example.com/collections/lamps',
    html: `<!doctype html><title>Desk lamps | Bright Shop</title><body><div class="header"><a href="/cart">Cart</a><form role="search"><input name="q"><button>Search</button></form></div>
<div class="collection"><h1>Desk lamps</h1><p>Lamps for long evenings.</p><ul class="product-grid">
${['Arc', 'Beam', 'Cone', 'Disc', 'Edge'].map((name, i) => `<li class="product-card"><a href="/p/${name}"><img src="/${name}.jpg" alt=""><h3>${name} desk lamp</h3></a><span class="price">$${29 + i}.00</span><button>Add to cart</button></li>`).join('\n')}
</ul></div><div class="newsletter"><h4>Stay in touch</h4><p>Sign up for our newsletter and get 10 % off.</p></div><footer><a href="/terms">Terms</a> <a href="/privacy">Privacy</a></footer>`,
  },
  {
    url: 'https://example.net/t/why-does-my-fan-rattle/812',
    html: `<!doctype html><title>Why does my fan rattle? - Quiet Machines Forum</title><body><div id="topbar"><a href="/login">Log in</a> <a href="/register">Register</a></div>
<div id="thread"><h1 class="topic-title">Why does my fan rattle?</h1>
${['It started last week, at low speed only. The blades are clean and nothing touches the cage.', 'Check the bearing: when it is dry it rattles at low speed and hums at high speed. One drop of oil helps.', 'That was it. Thank you, it is silent now.'].map((text, i) => `<div class="message" id="m${i}"><div class="user"><a href="/u/${i}">user${i}</a><span>Joined 201${i}</span></div><div class="message-body">${text}</div><div class="controls"><a href="#">Reply</a> <a href="#">Report</a></div></div>`).join('\n')}
</div><p hidden>This text is not shown to anyone who reads the page.</p><footer>Powered by nothing in particular</footer>`,
  },
  { url: '', html: '<p>One paragraph alone, in a page without anything else.</p>' },
];
