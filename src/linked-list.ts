/** A value in a list: the way to take it out again. */
export interface ListItem<T> {
  readonly value: T
}

class Link<T> implements ListItem<T> {
  readonly value: T
  /** Undefined when it has been taken out. */
  list: LinkedList<T> | undefined
  previous: Link<T> | undefined
  next: Link<T> | undefined

  constructor(value: T) {
    this.value = value
  }
}

/**
 * Values that come and go, the first to come first: calls under way, and what was used last. Not a Set or a Map: V8 has
 * each table that one of these outgrew point to the table that followed, so that, once one has grown old, all later ones
 * and what was in them outlive their calls, until the whole heap is collected. An item that is taken out points nowhere.
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

  /** False where it has been taken out before, or never was here. */
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

  /** The values as they are now, whatever comes and goes meanwhile. */
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
