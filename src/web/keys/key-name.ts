/** Whether a text can be the name of a key, by the appliance's rule. */
export const isKeyName = (text: string | undefined): text is string =>
  text !== undefined && /^\w[\w.-]{0,127}$/.test(text)
