/** What this page keeps as JSON in a storage of the browser, under one name. */
export class KeptJson<Kept> {
  readonly #storage: Storage
  /** Of the item in the storage. */
  readonly place: string

  constructor(storage: Storage, place: string) {
    this.#storage = storage
    this.place = place
  }

  /** Undefined where there is nothing, or what was put there by hand is no JSON. */
  read(): Kept | undefined {
    try {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- this page has written it
      return (JSON.parse(this.#storage.getItem(this.place) ?? 'null') as Kept | null) ?? undefined
    } catch {
      return undefined
    }
  }

  /** Undefined takes it away. */
  write(kept: Kept | undefined): void {
    if (kept === undefined) this.#storage.removeItem(this.place)
    else this.#storage.setItem(this.place, JSON.stringify(kept))
  }
}
