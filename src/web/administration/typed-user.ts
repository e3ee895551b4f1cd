/** The typed properties of a user. */
export interface TypedUser {
  readonly username: string
  readonly fullname: string
  readonly email: string
  readonly status: number
}

/** Without the blanks around the texts, which are invisible and often pasted: the appliance refuses some of them. */
export const trimmed = (typed: TypedUser): TypedUser => ({
  status: typed.status,
  username: typed.username.trim(),
  fullname: typed.fullname.trim(),
  email: typed.email.trim(),
})
