import { codeAt } from '../../tree/code-at.ts';
import { HashTable } from './hash-table.ts';

/** Words that show the purpose of a short text on any topic. */
const FAMILIES: Readonly<Record<string, string>> = {
  legal:
    'cookie cookies privacy terms copyright rights reserved gdpr consent disclaimer imprint impressum datenschutz trademark trademarks confidentialité mentions légales privacidad privacidade soukromí integritet rechten voorbehouden rechte vorbehalten derechos reservados direitos riservati конфиденциальности права',
  social:
    'share facebook twitter instagram linkedin pinterest youtube whatsapp tiktok telegram tweet follow rss partager teilen compartir condividi compartilhar compartilhe delen dela udostępnij sdílet поделиться подписывайтесь подпишитесь folgen suivez síguenos seguici volg paylaş bagikan',
  account:
    'login log sign signup register subscribe newsletter password account email unsubscribe inbox member join anmelden registrieren abonnieren abonnez inscrivez connexion suscríbete suscribirse regístrate iscriviti accedi assine cadastre inloggen aanmelden zaloguj logga войти регистрация подписка üye giriş',
  commerce:
    'cart checkout buy price sale sku qty quantity stock wishlist basket add bag order payment discount coupon warenkorb kaufen preis panier acheter prix ajouter carrito comprar precio añadir carrello acquista prezzo aggiungi carrinho preço winkelwagen bestellen koszyk cena kup корзину купить цена заказать',
  review:
    'review reviews rating ratings stars star verified testimonials testimonial helpful reviewer customer customers bewertung bewertungen rezension rezensionen avis opiniones reseñas recensioni avaliações beoordelingen opinie отзывы отзыв yorumlar',
  related:
    'related recommended similar popular trending latest recent also like recently viewed recommendations bestsellers featured favorites you might read ähnliche verwandte meistgelesen beliebte auch lesen lire aussi similaires populaires recommandés relacionados relacionadas también leer recomendados correlati leggi anche simili leia também veja mais lees ook gerelateerd populair czytaj również powiązane läs också relaterade читайте также похожие популярные související çok okunan benzer ilgili baca juga terkait',
  forum:
    'reply replies posts joined quote views thread threads topic topics posted likes forum forums answers votes edited reputation member messages report antworten beiträge themen verfasst réponses messages inscrit sujet respuestas mensajes risposte messaggi ответить сообщений сообщения тема',
  comment:
    'comment comments leave discussion responses commented kommentare kommentar commentaires commentaire comentarios comentario comentários commenti reacties komentarze komentáře kommentarer комментарии комментарий yorum komentar',
  browse:
    'next previous prev home back skip menu search filter filters sort results show view all page load more breadcrumb categories category close toggle navigation weiter zurück suche startseite suivant précédent recherche accueil siguiente anterior buscar inicio cerca volgende vorige zoeken dalej szukaj далее назад поиск главная',
  byline:
    'by author published updated written posted min minutes read ago editor staff von veröffentlicht aktualisiert publié por publicado actualizado di pubblicato автор опубликовано',
  contact: 'contact phone call tel address hours directions email fax inquiry quote appointment book schedule demo',
  specification:
    'specifications specification features dimensions weight description details size material overview ingredients instructions beschreibung eigenschaften merkmale produktdetails caractéristiques descriptif características descripción ficha caratteristiche descrizione descrição kenmerken omschrijving specificaties opis характеристики описание özellikleri',
  shipping:
    'shipping delivery returns return refund refunds warranty dispatch dispatched courier versand lieferung lieferzeit rückgabe widerruf garantie livraison retour retours remboursement envío envíos devolución devoluciones garantía spedizione consegna reso resi garanzia entrega devolução verzending bezorging dostawa zwroty доставка доставки возврат гарантия оплата kargo iade',
};

export const WORD_FAMILIES: readonly string[] = Object.keys(FAMILIES);

const BASE = 31;
const MOST_CHARS = 100;
const POWERS = new Int32Array(MOST_CHARS + 1).fill(1);
for (let n = 1; n <= MOST_CHARS; n++) POWERS[n] = Math.imul(POWERS[n - 1], BASE);

/** Family bits of a word, by `hashWord`; words without a family are absent. */
export const FAMILY_BITS: HashTable<number> = new HashTable(indexFamilies());

/** Hash of a lower-case word, as the block scanner computes it. */
export function hashWord(word: string): number {
  const { length } = word;
  let hash = 0;
  for (let i = 0; i < length; i++) hash = hashChar(hash, codeAt(word, i));
  return hash;
}

/** Hashes of words with spaces between them. */
export function hashWords(words: string): ReadonlySet<number> {
  return new Set(words.split(' ').map(hashWord));
}

/** Extends a word's hash by one UTF-16 code unit. */
export function hashChar(hash: number, char: number): number {
  return (Math.imul(hash, BASE) + char) | 0;
}

/** Hash of two words in a row; the second has `length` characters, at most `MOST_CHARS`. */
export function joinHashes(first: number, second: number, length: number): number {
  return (Math.imul(first, POWERS[length]) + second) | 0;
}

function indexFamilies(): Map<number, number> {
  const bits = new Map<number, number>();
  WORD_FAMILIES.forEach((family, bit) => {
    for (const word of FAMILIES[family].split(' ')) {
      // The scanner lowers the case of Latin letters only.
      for (const form of new Set([word, word[0].toUpperCase() + word.slice(1)])) {
        const hash = hashWord(form);
        bits.set(hash, (bits.get(hash) ?? 0) | (1 << bit));
      }
    }
  });
  return bits;
}
