import { useSyncExternalStore } from 'react'

/** A value outside of React, whose changes views show. */
export class Watched<Value> {
  #value: Value
  readonly #listeners = new Set<() => void>()

  constructor(value: Value) {
    this.#value = value
  }

  readonly get = (): Value => this.#value

  set(next: Value): void {
    this.#value = next
    for (const listener of this.#listeners) listener()
  }

  /** Returns a function that ends the subscription. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}

export const useWatched = <Value>({ get, subscribe }: Watched<Value>): Value => useSyncExternalStore(subscribe, get)
