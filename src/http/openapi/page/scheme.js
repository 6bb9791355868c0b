{
  const dark = matchMedia('(prefers-color-scheme: dark)')
  const show = () => {
    // The dashboard on the same origin stores the choice of its visitor under this name.
    const chosen = localStorage.getItem('mantine-color-scheme-value')
    document.documentElement.classList.toggle('dark-mode', chosen === 'dark' || (chosen !== 'light' && dark.matches))
  }
  dark.addEventListener('change', show)
  show()
}
