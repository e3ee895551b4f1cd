/** A value that the page keeps as JSON in a storage of the browser, under one name. */
export class KeptJson<Kept> {
  readonly #storage: Storage
  /** Name of the item in the storage. */
  readonly place: string

  constructor(storage: Storage, place: string) {
    this.#storage = storage
    this.place = place
  }

  /** The stored value; undefined without one, or where it was edited into something that is not JSON. */
  read(): Kept | undefined {
    try {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- this page has written it
      return (JSON.parse(this.#storage.getItem(this.place) ?? 'null') as Kept | null) ?? undefined
    } catch {
      return undefined
    }
  }

  /** Stores the value; undefined removes it. */
  write(kept: Kept | undefined): void {
    if (kept === undefined) this.#storage.removeItem(this.place)
    else this.#storage.setItem(this.place, JSON.stringify(kept))
  }
}
