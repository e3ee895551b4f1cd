/** HTML whose text is escaped. */
export class Markup {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** A template of HTML: what is put in is escaped unless it is markup itself. */
export function html(pieces: TemplateStringsArray, ...values: readonly (Markup | string)[]): Markup {
  return new Markup(String.raw({ raw: pieces }, ...values.map(escaped)))
}

/** For text of our own that is not HTML, such as a style sheet. */
html.raw = (text: string): Markup => new Markup(text)

export function join(parts: readonly (Markup | string)[]): Markup {
  return new Markup(parts.map(escaped).join(''))
}

function escaped(value: Markup | string): string {
  return value instanceof Markup
    ? String(value)
    : value.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
}

/** Text whose `code` is set as code. */
export function inline(text: string): Markup {
  return join(text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`)))
}

/** Paragraphs of such text. */
export const lines = (text: string): Markup => join(text.split('\n\n').map((line) => html`<p>${inline(line)}</p>`))
