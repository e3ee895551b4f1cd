import { withTimeout } from './timeout.ts'

/** Matches answers of another process to questions: it answers in the order in which it was asked. */
export function createAnswers<Answer>(timeoutMs = 2_000) {
  const waiting: ((answer: Answer | undefined) => void)[] = []
  return {
    arrived: (answer: Answer | undefined) => waiting.shift()?.(answer),
    /** Undefined where the answer takes too long. */
    ask(send: () => void): Promise<Answer | undefined> {
      const answer = new Promise<Answer | undefined>((resolve) => void waiting.push(resolve))
      send()
      return withTimeout(answer, timeoutMs, undefined)
    },
  }
}
