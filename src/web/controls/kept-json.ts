/** A value that the page keeps as JSON in a storage of the browser, under one name. */
export class KeptJson<Kept> {
  readonly #storage: Storage
  /** Name of the item in the storage. */
  readonly name: string

  constructor(storage: Storage, name: string) {
    this.#storage = storage
    this.name = name
  }

  /** The stored value; undefined without one, or where it was edited into something that is not JSON. */
  read(): Kept | undefined {
    try {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- this page has written it
      return (JSON.parse(this.#storage.getItem(this.name) ?? 'null') as Kept | null) ?? undefined
    } catch {
      return undefined
    }
  }

  /** Stores the value; undefined removes it. */
  write(kept: Kept | undefined): void {
    if (kept === undefined) this.#storage.removeItem(this.name)
    else this.#storage.setItem(this.name, JSON.stringify(kept))
  }
}
