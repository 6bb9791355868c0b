type Guide = { name: string; issuer: string; sends: string; there: readonly string[]; here: string }

export const guides: readonly Guide[] = [
  {
    name: 'Entra ID',
    issuer: 'https://login.microsoftonline.com/<directory ID>/v2.0',
    sends: 'email if the account has one, and no email_verified. groups as object IDs, in the ID token only.',
    there: [
      'App registrations: register a web application with the redirect address, and create a client secret.',
      'Token configuration: add the optional claims email and auth_time to the ID token.',
      'For groups: add the groups claim, limited to groups assigned to the application. Otherwise a person in more ' +
        'than 200 groups is sent without groups and is refused.',
      'Enterprise applications, Properties: require assignment, to choose who may sign in.',
    ],
    here: 'Turn on “Accept addresses whose verification is not stated”. Groups are object IDs.',
  },
  {
    name: 'Okta',
    issuer: 'https://<company>.okta.com',
    sends: 'email and email_verified as true, often in userinfo only. groups by name, if you add the claim.',
    there: [
      'Applications: create an OpenID Connect web application with the redirect address, and assign people to it.',
      'For groups: on its Sign On tab add a groups claim named groups, with a filter. With a custom authorization ' +
        'server, use its issuer, and include the claim in every scope.',
    ],
    here: 'Nothing more is needed. Groups are names.',
  },
  {
    name: 'Google Workspace',
    issuer: 'https://accounts.google.com',
    sends: 'email and email_verified as true. No groups.',
    there: [
      'Google Cloud, Audience: choose the user type Internal. Otherwise a private Google account that was made with an ' +
        'address at your domain can sign in, even after its owner left.',
      'Clients: create an OAuth client for a web application with the redirect address.',
    ],
    here: 'Leave “Groups that may sign in” empty: with a group, everyone is refused.',
  },
  {
    name: 'Keycloak',
    issuer: 'https://<host>/realms/<realm>',
    sends: 'email, and email_verified as false until the address is confirmed. groups, if you add a mapper.',
    there: [
      'Clients: create an OpenID Connect client with client authentication, the standard flow and the redirect address.',
      'Addresses: turn on Verify email in the realm, or Trust email at the LDAP or identity provider.',
      'For groups: add a mapper Group Membership with the claim name groups to the client’s own scope. A client scope that is itself ' +
        'named groups must be assigned to the client.',
    ],
    here: 'Nothing more is needed. With Full group path, groups begin with a slash.',
  },
]

/** What four directories send, and the settings to make there. */
export const SsoDirectories = () => (
  <div className="stack tight">
    <span className="sub small">Settings for your directory</span>
    {guides.map(({ name, issuer, sends, there, here }) => (
      <details key={name}>
        <summary className="small strong">{name}</summary>
        <div className="stack tight small" style={{ padding: '8px 0 4px 14px', maxWidth: 720 }}>
          <p>
            <span className="sub">Issuer:</span> <span className="mono wrap">{issuer}</span>
          </p>
          <p>
            <span className="sub">It sends:</span> {sends}
          </p>
          <ol style={{ listStyle: 'decimal', paddingInlineStart: 20 }}>
            {there.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
          <p>
            <span className="sub">Here:</span> {here}
          </p>
        </div>
      </details>
    ))}
  </div>
)
