import { inTime } from './in-time.ts'

/** The answers of another process, which come in the order of the questions. */
export function createAnswers<Answer>(patienceMs = 2_000) {
  const waiting: ((answer: Answer | undefined) => void)[] = []
  return {
    arrived: (answer: Answer | undefined) => waiting.shift()?.(answer),
    /** Undefined where it takes too long. */
    ask(send: () => void): Promise<Answer | undefined> {
      const answer = new Promise<Answer | undefined>((resolve) => void waiting.push(resolve))
      send()
      return inTime(answer, patienceMs, undefined)
    },
  }
}
