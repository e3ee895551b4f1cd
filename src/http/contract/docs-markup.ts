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

/** A template literal of HTML. Inserted values are escaped unless they are markup. */
export function html(pieces: TemplateStringsArray, ...values: readonly (Markup | string)[]): Markup {
  return new Markup(String.raw({ raw: pieces }, ...values.map(escaped)))
}

/** Marks our own text that is not HTML, such as a style sheet, as safe. */
html.raw = (text: string): Markup => new Markup(text)

export function join(parts: readonly (Markup | string)[]): Markup {
  return new Markup(parts.map(escaped).join(''))
}

function escaped(value: Markup | string): string {
  return value instanceof Markup
    ? String(value)
    : value.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
}

/** Text in which `code` is set as code. */
export function inline(text: string): Markup {
  return join(text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`)))
}

/** The same in paragraphs. */
export const lines = (text: string): Markup => join(text.split('\n\n').map((line) => html`<p>${inline(line)}</p>`))
