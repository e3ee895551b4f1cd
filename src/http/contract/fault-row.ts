/** What the interface says of one kind of fault. */
export interface FaultRow {
  readonly status: number
  /**
   * Key in ERRORCODES. Never reused: 12xx session and login, 13xx permission, 14xx vault, 15xx keys, ciphertexts,
   * backups and imports, 16xx object and template, 17xx users, second factors, certificates, service accounts, links and
   * passkeys, 18xx request, 19xx appliance.
   */
  readonly number: number
  /** What ERRORCODES says, and ERRORS too where the fault carries no detail of its own. */
  readonly text: string
  /** The detail speaks of modules, sockets and codes of the token: callers hear the text alone, the journal all. */
  readonly hidesDetail?: true
  /** The text stands in CALLINFO.general as well, where this interface has it. */
  readonly general?: true
}

/** Goes with every failure (spec: Errors): "a generic code 2000 reads that error messages exist". */
export const genericNumber = 2000
export const genericText = 'Error messages exist, see ERRORS.'
