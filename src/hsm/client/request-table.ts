import { LinkedList, type ListItem } from '../../linked-list.ts'
import type { Request } from './host-lane.ts'

/** The requests under way, by the ids that their frames carry: 32 bits, none of them used again for as long as can be. */
export class RequestTable {
  /** The request with an id is in the place that is the remainder of the id. */
  readonly #places: (ListItem<Request> | undefined)[]
  readonly #inOrder = new LinkedList<Request>()
  #lastId = 0

  /** `most`: requests at once. */
  constructor(most: number) {
    this.#places = Array.from({ length: 2 * most })
  }

  get size(): number {
    return this.#inOrder.size
  }

  /** For a request that is to be added. */
  freeId(): number {
    do this.#lastId = (this.#lastId + 1) >>> 0
    while (this.#places[this.#placeOf(this.#lastId)] !== undefined)
    return this.#lastId
  }

  add(request: Request): void {
    this.#places[this.#placeOf(request.id)] = this.#inOrder.append(request)
  }

  get(id: number): Request | undefined {
    return this.#itemOf(id)?.value
  }

  remove(id: number): void {
    if (this.#inOrder.remove(this.#itemOf(id))) this.#places[this.#placeOf(id)] = undefined
  }

  /** In the order of coming. */
  [Symbol.iterator](): Iterator<Request> {
    return this.#inOrder[Symbol.iterator]()
  }

  #itemOf(id: number): ListItem<Request> | undefined {
    const item = this.#places[this.#placeOf(id)]
    return item?.value.id === id ? item : undefined
  }

  #placeOf(id: number): number {
    return id % this.#places.length
  }
}
