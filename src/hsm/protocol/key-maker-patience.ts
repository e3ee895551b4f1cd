/**
 * The key maker has so many times `hsm.deadlineMs` for an answer: RSA keys of 4096 bits are made one after another, in
 * about a second each and in several on a busy machine.
 */
export const keyMakerPatience = 3
