/** How the interface presents a fault. */
export interface FaultRow {
  readonly status: number
  /**
   * Key in ERRORCODES, never used twice: 12xx session and login, 13xx permission, 14xx vault, 15xx keys, ciphertexts,
   * backups and imports, 16xx object and template, 17xx users, second factors, certificates, service accounts, links
   * and passkeys, 18xx request, 19xx appliance.
   */
  readonly number: number
  /** The text in ERRORCODES, and in ERRORS too where the fault has no detail. */
  readonly text: string
  /** The detail mentions modules, sockets or codes of the token: callers get the text only, the journal gets all. */
  readonly hidesDetail?: true
  /** The text is in CALLINFO.general as well, as published for this interface. */
  readonly general?: true
}

/** Part of every failure (spec: Errors): "a generic code 2000 reads that error messages exist". */
export const genericNumber = 2000
export const genericText = 'Error messages exist, see ERRORS.'
