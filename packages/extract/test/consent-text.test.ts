import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extract } from '../src/index.ts';

const NOTICE =
  'We and our 641 partners store cookies on your device and process personal data to show personalised advertising.';
const PARAGRAPH =
  'The lock at the mouth of the canal is opened by hand, and the keeper rings a bell before the water comes in.';
const article = (count: number): string => `<main><h1>The lock</h1>${`<p>${PARAGRAPH}</p>`.repeat(count)}</main>`;
const read = (body: string) =>
  extract(`<html><head><title>The lock</title></head><body>${body}</body></html>`, { url: 'https://example.org/lock' });

const purposes = (count: number): string =>
  Array.from({ length: count }, (_, at) => `<p>Purpose ${at}: ${NOTICE}</p>`).join('');
const vendors = `<ul>${Array.from({ length: 100 }, (_, at) => `<li>Vendor ${at}: cookies for tracking, duration ${at} days</li>`).join('')}</ul>`;

/** By name. */
const DIALOGS: Readonly<Record<string, string>> = {
  'a bar': `<div class="bar"><p>${NOTICE}</p><button>Accept all</button><button>Settings</button></div>`,
  'a bar of one sentence':
    '<div><span>This site uses cookies from 641 partners.</span> <a href="#" class="b">OK</a></div>',
  'a dialog with purposes': `<div role="dialog" aria-modal="true"><h2>Your privacy</h2>${purposes(8)}<button>Accept all</button></div>`,
  'neutral names': `<div class="q1"><div class="q2">${purposes(10)}<div class="q3"><button>I agree</button></div></div></div>`,
  'a list of vendors': `<section>${purposes(4)}${vendors.replaceAll('Vendor', '641 partners, vendor')}<p><a class="go" href="#">Accept all cookies</a></p></section>`,
  'an input': `<form><p>${NOTICE}</p><input type="submit" value="Accept"></form>`,
  'a role': `<aside><p>${NOTICE}</p><div class="x" tabindex="0">Allow all</div></aside>`,
  German:
    '<div><p>Wir und 641 partners nutzen Cookies und verarbeiten personenbezogene Daten für Werbung.</p><button>Alle akzeptieren</button></div>',
  French:
    '<div><p>Nous et nos 641 partners (partenaires) utilisons des cookies et des traceurs pour vos données personnelles.</p><button>Tout accepter</button></div>',
};

for (const [name, dialog] of Object.entries(DIALOGS)) {
  test(`text that asks for consent is no content: ${name}`, () => {
    for (const count of [4, 12]) {
      for (const body of [dialog + article(count), article(count) + dialog, `<div>${dialog}</div>${article(count)}`]) {
        const { mainText } = read(body);
        assert.ok(mainText.includes(PARAGRAPH) && !mainText.includes('641 partners'), mainText.slice(0, 400));
      }
    }
  });
}

/** By label of the button. */
const SHORT_NOTICES: Readonly<Record<string, string>> = {
  'Got it!': 'This site uses cookies so that you get the best experience.',
  'OK, I understand': 'By using our site you agree to our use of cookies.',
  "J'ai compris": "En poursuivant, vous acceptez l'utilisation de cookies.",
  Verstanden: 'Diese Seite nutzt Cookies, um Besuche zu zählen.',
  'Ho capito': 'Questo sito usa i cookie per contare le visite.',
};

test('a short page has no text of a notice that is no longer than its own', () => {
  const own =
    'The lock is closed on Monday. On other days boats may pass from ten until five, and on holidays until six.';
  for (const [label, notice] of Object.entries(SHORT_NOTICES)) {
    const bar = `<div class="q"><p>${notice}</p><button>${label}</button></div>`;
    const { mainText } = read(`<h1>Opening hours</h1><p>${own}</p>${bar}`);
    assert.equal(mainText.replace('Opening hours\n\n', ''), own, label);
  }
});

test('a gate that asks for the age is no content', () => {
  const gates = [
    '<h2>Are you 18 or older?</h2><p>You must be of legal age to enter this site.</p><button>Yes</button><button>No</button>',
    '<p>Zutritt nur für Personen, die volljährig sind.</p><button>Ja, ich bin 18</button><a href="/raus">Nein</a>',
    '<p>Vous devez avoir plus de 18 ans pour entrer.</p><button>Oui</button><button>Non</button>',
  ];
  for (const gate of gates) {
    const { mainText } = read(`<div class="gate">${gate}</div>${article(4)}`);
    assert.ok(mainText.includes(PARAGRAPH) && !/legal age|volljährig|18 ans/.test(mainText), mainText);
  }
  const rule = '<p>You must be 18 or older to steer a boat through the lock.</p>';
  assert.match(read(`<main><h1>Rules</h1>${rule}<p>${PARAGRAPH}</p></main>`).mainText, /18 or older/);
});

test('an article about cookies is content, also beside a button that accepts', () => {
  const about = `<article><h1>What cookies are</h1>${'<p>A cookie is a small file in which a site keeps data about a visitor; consent and privacy law limit its use.</p>'.repeat(8)}<button>Accept all</button></article>`;
  assert.ok(read(about).mainText.includes('A cookie is a small file'));
});

test('a page that only asks for consent keeps its text and its warning', () => {
  const { mainText, warnings } = read(`<div><h2>Your privacy</h2>${purposes(5)}<button>Accept all</button></div>`);
  assert.ok(mainText.includes('641 partners'));
  assert.deepEqual(
    warnings.map(({ code }) => code),
    ['consent_wall'],
  );
});

test('buttons that accept something else remove nothing', () => {
  const { mainText } = read(
    `${article(3)}<div class="terms"><p>${'Boats wait at the quay until the light is green. '.repeat(9)}</p><button>OK</button></div>`,
  );
  assert.ok(mainText.includes(PARAGRAPH));
});
