//! The desktop's keyring: the Secret Service on D-Bus (GNOME Keyring, KWallet, KeePassXC).

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use secret_service::{Collection, EncryptionType, Item, SecretService};
use szk_config::OriginPattern;
use zeroize::Zeroizing;

use crate::{Secret, SecretError, SecretName, StoredSecret};

/// How long to wait for a keyring that does not answer.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long a person may take to unlock it.
const UNLOCKING: Duration = Duration::from_secs(120);

/// The application attribute of our entries.
const APPLICATION: &str = "szk";
/// The attribute with the origins, separated by spaces.
const ORIGINS: &str = "origins";

/// The keyring of this login, and the store whose secrets it holds.
pub(crate) struct Keyring {
    service: SecretService<'static>,
    store: String,
}

impl Keyring {
    /// Connects to the keyring; `None` if there is none.
    pub(crate) async fn reach(store: &Path) -> Option<Self> {
        Some(Self {
            service: connect().await?,
            store: store.display().to_string(),
        })
    }

    pub(crate) async fn get(&self, name: &SecretName) -> Result<Option<StoredSecret>, SecretError> {
        let Some(item) = self.items(Some(name)).await?.into_iter().next() else {
            return Ok(None);
        };
        let bytes = Zeroizing::new(reveal(&item).await?);
        let text = std::str::from_utf8(&bytes)
            .map_err(|_| SecretError::Keyring("its value is not text".to_owned()))?;
        let secret = Secret::new(text.to_owned());
        let origins = origins(&answer(PATIENCE, item.get_attributes()).await?)?;
        Ok(Some(StoredSecret { secret, origins }))
    }

    /// All names, with their origins.
    pub(crate) async fn names(&self) -> Result<Vec<(SecretName, Vec<OriginPattern>)>, SecretError> {
        let mut names = Vec::new();
        for item in self.items(None).await? {
            let attributes = answer(PATIENCE, item.get_attributes()).await?;
            let name = attributes.get("name").map(|name| SecretName::parse(name));
            if let Some(Ok(name)) = name {
                names.push((name, origins(&attributes)?));
            }
        }
        names.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(names)
    }

    pub(crate) async fn set(
        &self,
        name: &SecretName,
        kept: &StoredSecret,
    ) -> Result<(), SecretError> {
        let collection = self.collection().await?;
        let label = format!("szk secret {name}");
        let patterns: Vec<String> = kept.origins.iter().map(ToString::to_string).collect();
        let patterns = patterns.join(" ");
        let mut attributes = self.attributes(Some(name));
        if !patterns.is_empty() {
            attributes.insert(ORIGINS, &patterns);
        }
        let value = kept.secret.reveal().as_bytes();
        let created = collection.create_item(&label, attributes, value, true, "text/plain");
        let created = answer(PATIENCE, created).await?;
        // To the keyring, a secret with other origins is another entry.
        for item in self.items(Some(name)).await? {
            if item.item_path != created.item_path {
                delete(&item).await?;
            }
        }
        Ok(())
    }

    /// Deletes a secret; returns whether it existed.
    pub(crate) async fn remove(&self, name: &SecretName) -> Result<bool, SecretError> {
        let items = self.items(Some(name)).await?;
        for item in &items {
            delete(item).await?;
        }
        Ok(!items.is_empty())
    }

    fn attributes<'a>(&'a self, name: Option<&'a SecretName>) -> HashMap<&'a str, &'a str> {
        let mut attributes =
            HashMap::from([("application", APPLICATION), ("store", self.store.as_str())]);
        if let Some(name) = name {
            attributes.insert("name", name.as_str());
        }
        attributes
    }

    async fn items(&self, name: Option<&SecretName>) -> Result<Vec<Item<'_>>, SecretError> {
        let found = answer(PATIENCE, self.service.search_items(self.attributes(name))).await?;
        Ok(found.unlocked.into_iter().chain(found.locked).collect())
    }

    async fn collection(&self) -> Result<Collection<'_>, SecretError> {
        let collection = answer(PATIENCE, self.service.get_default_collection()).await?;
        if answer(PATIENCE, collection.is_locked()).await? {
            answer(UNLOCKING, collection.unlock()).await?;
        }
        Ok(collection)
    }
}

/// The password that a Chromium-based browser keeps in the keyring under this name. `None` without a
/// keyring or an entry.
pub async fn browser_password(application: &str) -> Option<Zeroizing<String>> {
    let service = connect().await?;
    let attributes = HashMap::from([("application", application)]);
    let found = answer(PATIENCE, service.search_items(attributes))
        .await
        .ok()?;
    for item in found.unlocked.iter().chain(&found.locked) {
        let label = answer(PATIENCE, item.get_label()).await.ok()?;
        // There is a second entry beside it, which only says that the first is in use.
        if label.ends_with("Safe Storage") {
            let bytes = Zeroizing::new(reveal(item).await.ok()?);
            return Some(Zeroizing::new(std::str::from_utf8(&bytes).ok()?.to_owned()));
        }
    }
    None
}

/// The origins of an entry. Invalid origins are an error: they must not count as unbound.
fn origins(attributes: &HashMap<String, String>) -> Result<Vec<OriginPattern>, SecretError> {
    let patterns = attributes.get(ORIGINS).map_or("", String::as_str);
    let patterns = patterns.split_whitespace().map(OriginPattern::read);
    patterns.collect::<Result<_, _>>().map_err(|error| {
        SecretError::Keyring(format!("it binds a secret to an invalid origin: {error}"))
    })
}

async fn delete(item: &Item<'_>) -> Result<(), SecretError> {
    answer(UNLOCKING, item.unlock()).await?;
    answer(PATIENCE, item.delete()).await
}

/// Reads a value. The desktop may ask the person for the keyring's password.
async fn reveal(item: &Item<'_>) -> Result<Vec<u8>, SecretError> {
    if answer(PATIENCE, item.is_locked()).await? {
        answer(UNLOCKING, item.unlock()).await?;
    }
    answer(PATIENCE, item.get_secret()).await
}

async fn connect() -> Option<SecretService<'static>> {
    // Without a session bus, do not let D-Bus start one for us.
    let runtime = || Some(Path::new(&std::env::var_os("XDG_RUNTIME_DIR")?).join("bus"));
    let bus = std::env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some()
        || runtime().is_some_and(|path| path.exists());
    if !bus {
        return None;
    }
    match answer(PATIENCE, SecretService::connect(EncryptionType::Dh)).await {
        Ok(service) => Some(service),
        Err(error) => {
            tracing::debug!(%error, "no keyring");
            None
        }
    }
}

async fn answer<T>(
    limit: Duration,
    call: impl Future<Output = Result<T, secret_service::Error>>,
) -> Result<T, SecretError> {
    match tokio::time::timeout(limit, call).await {
        Ok(answer) => answer.map_err(|error| SecretError::Keyring(error.to_string())),
        Err(_) => Err(SecretError::Keyring("it does not answer".to_owned())),
    }
}
