/** The answer, or `late` where it takes longer or fails. */
export function inTime<T, Late>(answer: Promise<T>, patienceMs: number, late: Late): Promise<T | Late> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(late), patienceMs)
    const settle = (value: T | Late): void => {
      clearTimeout(timer)
      resolve(value)
    }
    answer.then(settle, () => settle(late))
  })
}
