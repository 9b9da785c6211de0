//! What messages on login pages mean, in the most common languages of the web.

use std::sync::LazyLock;

use regex::Regex;

/// What a message says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The user name or password is wrong.
    Wrong,
    /// The account is locked, or there were too many attempts.
    Locked,
    /// The page asks for a second factor.
    SecondFactor,
    /// The visitor has to prove to be a person.
    Captcha,
}

/// One of our patterns. An invalid regular expression matches nothing, and fails the tests.
pub(super) struct Words(LazyLock<Option<Regex>>);

macro_rules! words {
    ($($name:ident = $pattern:expr;)*) => {
        $(pub(super) static $name: Words = Words(LazyLock::new(|| Regex::new(concat!("(?i)", $pattern)).ok()));)*
        #[cfg(test)]
        const ALL: &[(&str, &Words)] = &[$((stringify!($name), &$name)),*];
    };
}

words! {
    USER = r"user|e-?mail|log-?in|account|handle|member|customer|phone|mobile|benutzer|anmeldename|kennung|konto|identifiant|utilisateur|courriel|adresse|usuario|correo|utente|conta|gebruiker|\bid\b";
    CODE = r"one.?time|\botp\b|totp|2fa|mfa|passcode|(verification|security|auth\w*|confirmation|access|login|sms|2.?step|backup|digit)[ -_]*code|code[ -_]*(from|sent|we)|(enter|your|the|a)\s+code|^code$|bestätigungscode|sicherheitscode|einmal|code de (vérification|sécurité)|código|codice|verificatiecode|\btoken\b|\bpin\b";
    NO_CODE = r"zip|post(al)?.?code|promo|coupon|discount|voucher|gift|country|area|dial|invite|referral|gutschein|plz";
    SIGN_IN = r"^(sign|log)[ -]?(me )?in\b|^(sign|log)[ -]?on\b|^anmelden|^einloggen|^connexion|^se connecter|^me connecter|^iniciar sesi|^entrar|^acceder|^ingresar|^accedi|^entra\b|^inloggen|^aanmelden|^zaloguj|^logga in|^logg inn|^log ind";
    GO_ON = r"^(continue|next|proceed|submit|verify|go|ok|enter|confirm|weiter|fortfahren|senden|suivant|continuer|valider|siguiente|continuar|avanti|continua|volgende|doorgaan|dalej)\b";
    NO_SUBMIT = r"sign[ -]?up|regist|create|join|new (user|customer|account)|forgot|reset|recover|trouble|google|apple|facebook|github|microsoft|twitter|linkedin|\bsso\b|saml|passkey|fingerprint|face id|show|hide|toggle|cancel|back|help|language|magic link|\bqr\b|another|other|search|subscribe|newsletter|konto erstellen|registrieren|vergessen|abbrechen|zurück|créer|oublié|annuler|crear|olvid|cancelar";
    SENDS = r"^(save|send|submit|apply|update|post|publish|add|create|register|sign[ -]?up|subscribe|search|join|book|order|reserve|pay|buy|place order|check ?out|done|finish|complete|request|reply|comment|calculate|convert|generate|speichern|absenden|abschicken|übernehmen|hinzufügen|anlegen|erstellen|registrieren|abonnieren|suchen|bestellen|buchen|bezahlen|fertig|enregistrer|envoyer|appliquer|ajouter|créer|s.inscrire|rechercher|commander|payer|terminer|guardar|enviar|aplicar|añadir|agregar|crear|registrarse|buscar|pagar|salva|invia|applica|aggiungi|crea|registrati|cerca|opslaan|verzenden|versturen|toepassen|toevoegen|aanmaken|zoeken|zapisz|wyślij|dodaj|spara|skicka|lagre)\b|\b(speichern|absenden|abschicken|bestellen|registrieren|erstellen|hinzufügen)$";
    HARMS = r"delet|remov|eras(e|ing)|destroy|discard|deactivat|unsubscribe|revoke|cancel|(to|in) (the |your |my )?(cart|basket|bag|favou?rites|wish ?list)|order by|löschen|entfernen|verwerfen|supprimer|effacer|eliminar|borrar|elimina\b|verwijder|usuń|radera|slett";
    SIGN_OUT = r"^(sign|log)[ -]?(me )?(out|off)\b|^abmelden|^ausloggen|^d[ée]connexion|^se d[ée]connecter|^cerrar sesi|^salir$|^sair$|^esci$|^disconnetti|^uitloggen|^afmelden|^wyloguj|^logga ut|^logg ut|^log ud";
    LOGIN_PAGE = r"sign[ -]?in|log[ -]?in|log[ -]?on|anmeld|einlogg|connexion|connecter|iniciar sesi|acced|inlogg|aanmeld|auth";
    WRONG = r"incorrect|invalid|wrong|not (match|valid|correct|recogni[sz]ed|found|exist|registered)|n't (match|recogni[sz]e|find|exist|know)|mismatch|no (such )?(account|user)|unknown (user|account|e-?mail)|unable to (sign|log)|could not (sign|log)|couldn.t (find|sign|log)|(login|sign.?in|authentication|logon) (failed|error|unsuccessful)|failed to (sign|log)|bad (credentials|password|login)|denied|try again|falsch|ungültig|nicht korrekt|stimmt nicht|unbekannt|fehlgeschlagen|incorrecte|invalide|erron[ée]|inv[áa]lid|incorrecta|no coincide|errat[ao]|non valid|onjuist|ongeldig|nieprawid|felaktig";
    LOCKED = r"\block(ed)?\b|suspended|blocked|disabled|deactivated|banned|too many|rate.?limit|temporar\w+ (un|lock|block|dis)|gesperrt|zu viele|verrouill|bloqu|suspend|demasiados|troppi|bloccat|geblokkeerd|te veel";
    TOO_MANY = r"too many (requests|attempts|tries|failed)|zu viele versuche|demasiados intentos";
    ABOUT_LOGIN = r"password|passcode|credential|user ?name|e-?mail|account|sign|log|login|attempt|try|tries|passwor|kennwort|passwort|benutzer|konto|anmeld|versuch|mot de passe|identifiant|compte|contraseña|usuario|cuenta|wachtwoord|gebruiker|utente|conto";
    SECOND = r"two.?(factor|step)|2.?step|multi.?factor|second factor|authenticator|verification code|security (key|code)|one.?time (code|password)|enter (the|your|a) (\w+[ -])?code|code (we|was|has been)? ?sent|sent (you )?(a|an) .{0,20}code|(approve|confirm) (the|this|your) (sign|log|request|notification)|check your (phone|device|authenticator)|confirm (that )?it.s you|zwei.?faktor|bestätigungscode|double authentification|code de (vérification|sécurité)|verificaci[óo]n en dos|autenticazione a due|tweestaps";
    HUMAN = r"captcha|(are|you.re|you are) (not )?a (robot|human)|verify (that )?you are (a )?human|unusual (traffic|activity) from|bist du ein mensch|kein roboter|pas un robot|no soy un robot";
    PASSING = r"redirect|please wait|one moment|just a moment|signing (you )?in|logging (you )?in|loading|weiterleitung|bitte warten|einen moment|veuillez patienter|espere|attendere";
}

impl Words {
    pub(super) fn fit(&self, text: &str) -> bool {
        self.0.as_ref().is_some_and(|regex| regex.is_match(text))
    }
}

/// What a message on its own means.
#[must_use]
pub fn verdict(message: &str) -> Option<Verdict> {
    if HUMAN.fit(message) {
        Some(Verdict::Captcha)
    } else if LOCKED.fit(message) && ABOUT_LOGIN.fit(message) || TOO_MANY.fit(message) {
        Some(Verdict::Locked)
    } else if WRONG.fit(message) {
        Some(Verdict::Wrong)
    } else if SECOND.fit(message) {
        Some(Verdict::SecondFactor)
    } else {
        None
    }
}

/// The first line of a page's text that says something about the login, and what it means. Skips lines
/// that may be about something else.
#[must_use]
pub fn verdict_of_text(text: &str) -> Option<(Verdict, &str)> {
    let short = |line: &&str| !line.is_empty() && line.chars().count() <= 200;
    text.lines().map(str::trim).filter(short).find_map(|line| {
        let found = verdict(line)?;
        let sure = match found {
            Verdict::Wrong | Verdict::Locked => ABOUT_LOGIN.fit(line),
            Verdict::Captcha | Verdict::SecondFactor => true,
        };
        sure.then_some((found, line))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_patterns_are_patterns() {
        for (name, words) in ALL {
            assert!(words.0.is_some(), "{name}");
        }
    }

    #[track_caller]
    fn check(message: &str, expected: Option<Verdict>) {
        assert_eq!(verdict(message), expected, "{message}");
    }

    #[test]
    fn messages() {
        for wrong in [
            "Incorrect username or password.",
            "The password you entered is wrong",
            "We couldn't find an account with that email",
            "Your password doesn't match",
            "Das Passwort ist falsch.",
            "Identifiant ou mot de passe incorrect",
            "Usuario o contraseña incorrecta",
            "Login failed",
        ] {
            check(wrong, Some(Verdict::Wrong));
        }
        for locked in [
            "Your account has been locked.",
            "Account temporarily disabled",
            "Too many failed login attempts, try again later",
            "Ihr Konto wurde gesperrt",
        ] {
            check(locked, Some(Verdict::Locked));
        }
        check(
            "Enter the 6-digit code from your authenticator app",
            Some(Verdict::SecondFactor),
        );
        check("We sent you a code", Some(Verdict::SecondFactor));
        check("Please verify you are human", Some(Verdict::Captcha));
        for nothing in ["Welcome back, Jane", "3 new messages", "Saved", ""] {
            check(nothing, None);
        }
    }

    #[test]
    fn texts_of_pages_are_read_with_care() {
        let dashboard = "Dashboard\n2 invalid builds\nLog out";
        assert_eq!(verdict_of_text(dashboard), None);
        let page = "Oops\nYour account is locked. Write to us.\n";
        let (found, line) = verdict_of_text(page).unwrap();
        assert_eq!(found, Verdict::Locked);
        assert!(line.starts_with("Your account"));
    }

    #[test]
    fn buttons_and_fields() {
        for (words, fits) in [
            (&SIGN_IN, ["Sign in", "Log in", "LOGIN", "Anmelden"]),
            (&GO_ON, ["Next", "Continue", "Weiter", "Verify code"]),
            (
                &NO_SUBMIT,
                [
                    "Sign up",
                    "Forgot password?",
                    "Sign in with Google",
                    "Show password",
                ],
            ),
            (
                &SENDS,
                [
                    "Save",
                    "Send message",
                    "Create account",
                    "Änderungen speichern",
                ],
            ),
            (
                &HARMS,
                [
                    "Delete all",
                    "Remove account",
                    "Add to cart",
                    "Konto löschen",
                ],
            ),
            (&SIGN_OUT, ["Sign out", "Log out", "Logout", "Abmelden"]),
            (&CODE, ["one-time-code", "Verification code", "Code", "otp"]),
            (
                &NO_CODE,
                ["ZIP code", "Promo code", "postcode", "Country code"],
            ),
        ] {
            for text in fits {
                assert!(words.fit(text), "{text}");
            }
        }
        assert!(!SIGN_IN.fit("Sign up"));
        assert!(!SENDS.fit("Row 0") && !SENDS.fit("Address book"));
        assert!(!CODE.fit("Password"));
    }
}
