import { LinkedList, type ListItem } from '../../linked-list.ts'
import type { Request } from './host-lane.ts'

/** The unanswered requests by the id in their frames (32 bits). An id is used again as late as possible. */
export class RequestTable {
  /** The index of a request is the remainder of its id. */
  readonly #slots: (ListItem<Request> | undefined)[]
  readonly #inOrder = new LinkedList<Request>()
  #lastId = 0

  /** `most`: largest number of requests at a time. */
  constructor(most: number) {
    this.#slots = Array.from({ length: 2 * most })
  }

  get size(): number {
    return this.#inOrder.size
  }

  /** Returns an unused id for the next request. */
  freeId(): number {
    do this.#lastId = (this.#lastId + 1) >>> 0
    while (this.#slots[this.#slotOf(this.#lastId)] !== undefined)
    return this.#lastId
  }

  add(request: Request): void {
    this.#slots[this.#slotOf(request.id)] = this.#inOrder.append(request)
  }

  get(id: number): Request | undefined {
    return this.#itemOf(id)?.value
  }

  remove(id: number): void {
    if (this.#inOrder.remove(this.#itemOf(id))) this.#slots[this.#slotOf(id)] = undefined
  }

  /** The requests in the order of arrival. */
  [Symbol.iterator](): Iterator<Request> {
    return this.#inOrder[Symbol.iterator]()
  }

  #itemOf(id: number): ListItem<Request> | undefined {
    const item = this.#slots[this.#slotOf(id)]
    return item?.value.id === id ? item : undefined
  }

  #slotOf(id: number): number {
    return id % this.#slots.length
  }
}
