/** A backup cannot be made, read or put back; the message is for the operator, and says what to do. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
}
