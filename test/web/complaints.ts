import { expect } from 'vitest'

/** What a browser complained of in a test: errors of its pages and of their consoles, and reports of their policy. */
export class Complaints {
  readonly #heard: string[] = []
  readonly #expected: RegExp[] = []

  hear(complaint: string): void {
    this.#heard.push(complaint)
  }

  /** The test itself brings these about: each has to come. */
  expect(...complaints: readonly RegExp[]): void {
    this.#expected.push(...complaints)
  }

  expectNoOther(): void {
    const isExpected = (heard: string): boolean => this.#expected.some((one) => one.test(heard))
    expect(this.#heard.filter((heard) => !isExpected(heard))).toEqual([])
    expect(this.#expected.filter((one) => !this.#heard.some((heard) => one.test(heard)))).toEqual([])
  }
}
