import { LinkedList, type ListItem } from '../../linked-list.ts'
import type { Request } from './host-lane.ts'

/** The unanswered requests by the id in their frames (32 bits). An id is used again as late as possible. */
export class RequestTable {
  /** The index of a request is the remainder of its id. */
  readonly #places: (ListItem<Request> | undefined)[]
  readonly #inOrder = new LinkedList<Request>()
  #lastId = 0

  /** `most`: largest number of requests at a time. */
  constructor(most: number) {
    this.#places = Array.from({ length: 2 * most })
  }

  get size(): number {
    return this.#inOrder.size
  }

  /** Returns an unused id for the next request. */
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

  /** The requests in the order of arrival. */
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
