interface Props {
  readonly username: string
  readonly email: string
}

/** How to reach a user. The line breaks before an address that does not fit, not within it. */
export const Contact = ({ username, email }: Props) => (
  <span className="soft contact">
    <span>{username}</span> · <span>{email}</span>
  </span>
)
