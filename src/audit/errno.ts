/** The system's name for what went wrong (errno(3)), for example `ENOSPC`; undefined when the error is another kind. */
export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
