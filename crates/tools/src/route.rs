//! Where an operation is over HTTP.

/// One address of an operation. What stands in braces in the path is the field of that name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Route {
    /// The method.
    pub method: Method,
    /// The path, such as `/v1/sessions/{session}/navigate`.
    pub path: &'static str,
    /// Fields that this address sets, with their values.
    pub sets: &'static [(&'static str, &'static str)],
}

/// The method of a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Fields come from the query.
    Get,
    /// Fields come from a JSON body.
    Post,
    /// Fields come from the query.
    Delete,
}

impl Method {
    /// Its name in a request line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Delete => "DELETE",
        }
    }
}

impl Route {
    /// A route for `GET`.
    #[must_use]
    pub const fn get(path: &'static str) -> Self {
        Self::new(Method::Get, path)
    }

    /// A route for `POST`.
    #[must_use]
    pub const fn post(path: &'static str) -> Self {
        Self::new(Method::Post, path)
    }

    /// A route for `DELETE`.
    #[must_use]
    pub const fn delete(path: &'static str) -> Self {
        Self::new(Method::Delete, path)
    }

    const fn new(method: Method, path: &'static str) -> Self {
        Self {
            method,
            path,
            sets: &[],
        }
    }

    /// The same route, which sets these fields.
    #[must_use]
    pub const fn with(self, sets: &'static [(&'static str, &'static str)]) -> Self {
        Self { sets, ..self }
    }

    /// The fields in the path, in order.
    pub fn in_path(&self) -> impl Iterator<Item = &'static str> {
        self.path
            .split('/')
            .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::specs;

    #[test]
    fn every_operation_has_routes_of_its_own_with_fields_that_exist() {
        let mut seen = HashSet::new();
        for spec in specs() {
            assert!(!spec.routes.is_empty(), "{}", spec.name);
            let fields: Vec<String> = (spec.fields)()
                .into_iter()
                .map(|field| field.name)
                .collect();
            for route in spec.routes {
                assert!(seen.insert((route.method.name(), route.path)), "{route:?}");
                assert!(route.path.starts_with("/v1/"), "{route:?}");
                let sets = route.sets.iter().map(|(name, _)| *name);
                for field in route.in_path().chain(sets) {
                    assert!(fields.iter().any(|known| known == field), "{route:?}");
                }
            }
        }
    }

    #[test]
    fn fields_in_the_path_are_found() {
        let route = Route::delete("/v1/sessions/{session}/tabs/{tab}");
        assert_eq!(route.in_path().collect::<Vec<_>>(), ["session", "tab"]);
    }
}
