/** The names that a name with `{a,b}` stands for. */
export const spread = (name: string): string[] => {
  const [whole, choices] = /\{([^}]*)\}/.exec(name) ?? []
  return whole ? choices!.split(',').flatMap((each) => spread(name.replace(whole, each))) : [name]
}
