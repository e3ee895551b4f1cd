/**
 * The key maker may take this many times `hsm.deadlineMs` for an answer. It makes RSA keys one after another: 4096 bits
 * take about a second each, and several on a busy machine.
 */
export const keyMakerPatience = 3
