/** Resolves to the answer, or to `late` where it takes longer than `timeoutMs` or fails. */
export function withTimeout<T, Late>(answer: Promise<T>, timeoutMs: number, late: Late): Promise<T | Late> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(late), timeoutMs)
    const settle = (value: T | Late): void => {
      clearTimeout(timer)
      resolve(value)
    }
    answer.then(settle, () => settle(late))
  })
}
