//! Shaders without a GPU: every module parses and validates, and its structs lie in memory as their Rust twins do.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use kinora::compose::gpu::shaders::{Shader, StructLayout};
use naga::valid::{Capabilities, ValidationFlags, Validator};

fn parsed(shader: Shader) -> naga::Module {
    naga::front::wgsl::parse_str(&shader.source())
        .unwrap_or_else(|e| panic!("{shader:?}: {}", e.emit_to_string(&shader.source())))
}

#[test]
fn shaders_are_valid() {
    for shader in Shader::ALL {
        let module = parsed(shader);
        Validator::new(ValidationFlags::all(), Capabilities::empty())
            .validate(&module)
            .unwrap_or_else(|e| panic!("{shader:?}: {}", e.emit_to_string(&shader.source())));
        assert!(!module.entry_points.is_empty(), "{shader:?}");
    }
}

/// Name, offset of every field and size, as WGSL lays a struct out.
fn wgsl_struct(module: &naga::Module, name: &str) -> (usize, Vec<(String, usize)>) {
    let found = module
        .types
        .iter()
        .find(|(_, ty)| ty.name.as_deref() == Some(name));
    let (_, ty) = found.unwrap_or_else(|| panic!("no struct {name} in the shader"));
    let naga::TypeInner::Struct { members, span } = &ty.inner else {
        panic!("{name} is no struct");
    };
    let fields = members
        .iter()
        .map(|m| (m.name.clone().unwrap(), m.offset as usize))
        .collect();
    (*span as usize, fields)
}

#[test]
fn structs_match_their_twins() {
    for shader in Shader::ALL {
        let module = parsed(shader);
        let structs: Vec<StructLayout> = shader.layouts();
        assert!(!structs.is_empty());
        for twin in structs {
            let (size, fields) = wgsl_struct(&module, twin.name);
            let ours: Vec<(String, usize)> = twin
                .fields
                .iter()
                .map(|(name, offset)| ((*name).to_owned(), *offset))
                .collect();
            assert_eq!(fields, ours, "{shader:?}: {}", twin.name);
            // WGSL rounds up to the alignment of a uniform; a twin may not be larger.
            assert_eq!(size, twin.size, "{shader:?}: size of {}", twin.name);
        }
    }
}

#[test]
fn every_uniform_struct_has_a_twin() {
    for shader in Shader::ALL {
        let module = parsed(shader);
        let twins = shader.layouts();
        for (_, ty) in module.types.iter() {
            if let (Some(name), naga::TypeInner::Struct { .. }) = (&ty.name, &ty.inner) {
                assert!(
                    twins.iter().any(|t| t.name == name),
                    "{shader:?}: {name} has no twin"
                );
            }
        }
    }
}
