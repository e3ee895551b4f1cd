/** Requests of several senders, who take turns. Those of one sender keep their order. */
export class RequestLane<Request extends { readonly from: object }> {
  /** The first sender has the next turn. */
  readonly #waiting = new Map<object, Request[]>()
  #size = 0

  get size(): number {
    return this.#size
  }

  add(request: Request): void {
    const ofSender = this.#waiting.get(request.from)
    if (ofSender === undefined) this.#waiting.set(request.from, [request])
    else ofSender.push(request)
    this.#size += 1
  }

  /** Removes and returns the request whose turn it is. */
  next(): Request | undefined {
    for (const [from, ofSender] of this.#waiting) {
      if (this.#waiting.size > 1) {
        this.#waiting.delete(from)
        this.#waiting.set(from, ofSender)
      }
      return this.#removed(from, ofSender.shift(), ofSender)
    }
    return undefined
  }

  /** Removes and returns the last request of this sender. */
  lastOf(from: object): Request | undefined {
    const ofSender = this.#waiting.get(from)
    return ofSender && this.#removed(from, ofSender.pop(), ofSender)
  }

  #removed(from: object, request: Request | undefined, rest: readonly Request[]): Request | undefined {
    this.#size -= 1
    if (rest.length === 0) this.#waiting.delete(from)
    return request
  }
}
