/** A value in a list. The item is needed to remove the value. */
export interface ListItem<T> {
  readonly value: T
}

class Link<T> implements ListItem<T> {
  readonly value: T
  /** Undefined after the item was removed. */
  list: LinkedList<T> | undefined
  previous: Link<T> | undefined
  next: Link<T> | undefined

  constructor(value: T) {
    this.value = value
  }
}

/**
 * A list in order of insertion, for calls under way and for recently used values. Not a Set or a Map: when one of these
 * grows, V8 makes its old table point to the new one. Once an old table is in the old generation, all later tables and
 * their contents stay in memory until the whole heap is collected. An item that was removed from this list points to
 * nothing.
 */
export class LinkedList<T> implements Iterable<T> {
  #first: Link<T> | undefined
  #last: Link<T> | undefined
  #size = 0

  get size(): number {
    return this.#size
  }

  get first(): ListItem<T> | undefined {
    return this.#first
  }

  append(value: T): ListItem<T> {
    const link = new Link(value)
    this.#attach(link)
    return link
  }

  has(item: ListItem<T> | undefined): item is Link<T> {
    return item instanceof Link && item.list === this
  }

  /** False if the item is not in this list. */
  remove(item: ListItem<T> | undefined): boolean {
    if (!this.has(item)) return false
    this.#detach(item)
    return true
  }

  moveToEnd(item: ListItem<T> | undefined): void {
    if (item === this.#last || !this.has(item)) return
    this.#detach(item)
    this.#attach(item)
  }

  /** Iterates over a copy of the values, so that changes during the iteration have no effect on it. */
  [Symbol.iterator](): Iterator<T> {
    const values: T[] = []
    for (let link = this.#first; link !== undefined; link = link.next) values.push(link.value)
    return values.values()
  }

  #attach(link: Link<T>): void {
    link.list = this
    link.previous = this.#last
    if (this.#last === undefined) this.#first = link
    else this.#last.next = link
    this.#last = link
    this.#size += 1
  }

  #detach(link: Link<T>): void {
    const { previous, next } = link
    if (previous === undefined) this.#first = next
    else previous.next = next
    if (next === undefined) this.#last = previous
    else next.previous = previous
    link.list = link.previous = link.next = undefined
    this.#size -= 1
  }
}
