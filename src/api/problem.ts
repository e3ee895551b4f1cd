import type { z } from 'zod'

/** One sentence that says which member of a call is wrong, and what is expected of it. */
export function describeProblem(error: z.ZodError): string {
  const issue = error.issues[0]
  if (issue === undefined) return 'The call is not as the interface asks for it.'
  const member = issue.path.join('.')
  const where = member === '' ? 'The call' : member
  if (issue.code === 'invalid_type' && issue.input === undefined) return `${where} is missing.`
  return `${where}: ${issue.message}`
}
